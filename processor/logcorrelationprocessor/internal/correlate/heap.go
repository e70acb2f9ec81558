package correlate

// parcels is a heap by deadline.
type parcels []*Parcel

func (h parcels) Len() int           { return len(h) }
func (h parcels) Less(i, j int) bool { return h[i].Deadline.Before(h[j].Deadline) }

func (h parcels) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].due, h[j].due = i, j
}

func (h *parcels) Push(x any) {
	p := x.(*Parcel)
	p.due = len(*h)
	*h = append(*h, p)
}

func (h *parcels) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}
