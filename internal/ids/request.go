package ids

// Parse fills f with the forms of a request id. Spaces, quotes and the
// punctuation of a sentence around it do not belong to it. An id that a
// machine made is written in lower case and without the dashes of a UUID; any
// other stays as its caller wrote it. An id that is longer than MaxRequestID or
// holds control characters is Invalid. Unless the Reason is OK, f is empty.
func (r *Rules) Parse(raw string, f *Forms) Reason {
	f.n, f.whole = 0, 0
	s := trimSentence(raw)
	if zero(s) || placeholder(s) {
		return Absent
	}
	if len(s) > MaxRequestID || hasControl(s) {
		return Invalid
	}
	p := r.split(s)
	id := s[p.id:]
	if placeholder(id) || p.core > 0 && zero(id[:p.core]) {
		return Absent
	}
	end := p.write(f.text[:], s)
	f.add(s, 0, end)
	if p.sample == 0 && p.id > 0 {
		f.add(id, p.id, end)
	}
	f.whole = f.n
	if p.sample > 0 {
		f.add(id, p.id, end)
	}
	if p.id > 0 || p.core > 0 {
		r.cut(f, id, p.id, end)
	}
	return OK
}

// cut adds what is left of id, which stands in f.text[from:end], without its
// random suffix, and then without its number. At most one of each is taken:
// those before them are the client's own.
func (r *Rules) cut(f *Forms, id string, from, end int) {
	if n := randomSuffix(id); r.RandomSuffix && n > 0 {
		id, end = id[:len(id)-n], end-n
		f.add(id, from, end)
	}
	if n := indexSuffix(id); r.IndexSuffix && n > 0 {
		f.add(id[:len(id)-n], from, end-n)
	}
}

// parts are the offsets of the parts of an id:
// [<sample>_][<prefix>]<id>[-<n>][-<8 digits>].
type parts struct {
	sample int // where the sample ends, 0 if there is none
	id     int // where sample and prefix end
	core   int // length of the id that a machine made, 0 if it is another's
}

func (r *Rules) split(s string) parts {
	if n := sampleIndex(s); r.IndexPrefix && n > 0 {
		p := parts{sample: n, id: n + r.prefix(s[n:])}
		p.core = machineMade(s[p.id:])
		// 3_blind_mice is no sample.
		if p.id > n || p.core > 0 {
			return p
		}
	}
	p := parts{id: r.prefix(s)}
	p.core = machineMade(s[p.id:])
	return p
}

// write writes the canonical id of s into dst, which has room for it, and
// returns its length.
func (p parts) write(dst []byte, s string) int {
	n := copy(dst, s)
	if p.core == 0 {
		return n
	}
	n = p.id
	for i := p.id; i < len(s); i++ {
		if s[i] == '-' && i < p.id+p.core { // of a UUID
			continue
		}
		dst[n] = lower(s[i])
		n++
	}
	return n
}

// machineMade returns the length of the UUID, or of the 32 or 16 hexadecimal
// digits, that s is up to its suffixes, or 0. Sixteen digits without a letter
// are more likely a time in microseconds.
func machineMade(s string) int {
	n := uuidLen
	if len(s) < uuidLen || !uuid(s[:uuidLen]) {
		var letter bool
		n, letter = hexRun(s)
		if n != 32 && (n != 16 || !letter) {
			return 0
		}
	}
	rest := s[n:]
	rest = rest[:len(rest)-randomSuffix(rest)]
	rest = rest[:len(rest)-indexSuffix(rest)]
	if rest != "" {
		return 0
	}
	return n
}

// randomSuffix returns the length of -<8 hexadecimal digits> at the end of s,
// or 0.
func randomSuffix(s string) int {
	const length = 9
	if len(s) < length || s[len(s)-length] != '-' {
		return 0
	}
	if n, _ := hexRun(s[len(s)-length+1:]); n < length-1 {
		return 0
	}
	return length
}

// maxIndexDigits bounds the numbers that servers count with. Longer ones are
// dates and times.
const maxIndexDigits = 4

// indexSuffix returns the length of -<n> or _<n> at the end of s, or 0.
func indexSuffix(s string) int {
	n := 0
	for n < len(s) && decimalDigit(s[len(s)-1-n]) {
		n++
	}
	at := len(s) - n - 1
	if n == 0 || n > maxIndexDigits || n > 1 && s[at+1] == '0' || at < 0 || s[at] != '-' && s[at] != '_' {
		return 0
	}
	return n + 1
}

// sampleIndex returns the length of <n>_ at the start of s, or 0.
func sampleIndex(s string) int {
	n := 0
	for n < len(s) && decimalDigit(s[n]) {
		n++
	}
	if n == 0 || n > maxIndexDigits || n > 1 && s[0] == '0' || n == len(s) || s[n] != '_' {
		return 0
	}
	return n + 1
}

func decimalDigit(c byte) bool { return '0' <= c && c <= '9' }

func hasControl(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

// trimSentence is trim that also takes what follows an id in a log line:
// "Aborted request cmpl-X." and "Received request cmpl-X: ...".
func trimSentence(s string) string {
	for {
		s = trim(s)
		if s == "" {
			return s
		}
		switch s[len(s)-1] {
		case '.', ',', ':', ';':
			// The points of a placeholder are its own.
			if placeholder(s) {
				return s
			}
			s = s[:len(s)-1]
		default:
			return s
		}
	}
}
