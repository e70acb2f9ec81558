package lokiexporter

import (
	"errors"
	"io"
	"sync"
)

// bodies are the compressed bodies of pushes, in memory that is used again.
type bodies struct{ pool sync.Pool }

// body is one of them. A transport may read on after it has answered, and may ask for the body
// again, so its memory is used again only when the push has ended and all readers are closed.
type body struct {
	pool *sync.Pool
	data []byte

	mu    sync.Mutex
	users int // readers, and the push
}

// take returns a body for a push of at most so many bytes, with no data.
func (b *bodies) take(most int) *body {
	known, ok := b.pool.Get().(*body)
	if !ok {
		known = &body{pool: &b.pool}
	}
	known.users = 1
	if cap(known.data) < most {
		known.data = make([]byte, most)
	}
	known.data = known.data[:cap(known.data)]
	return known
}

// release ends the use by a reader, or by the push itself.
func (b *body) release() {
	b.mu.Lock()
	b.users--
	unused := b.users == 0
	b.mu.Unlock()
	if unused {
		b.pool.Put(b)
	}
}

// reader returns the body from its beginning.
func (b *body) reader() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users++
	return &bodyReader{body: b, left: b.data}, nil
}

type bodyReader struct {
	mu   sync.Mutex // a transport may close while it reads
	body *body      // nil once it is closed
	left []byte
}

var errClosed = errors.New("the body of a push is closed")

func (r *bodyReader) Read(to []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.body == nil:
		return 0, errClosed
	case len(r.left) == 0:
		return 0, io.EOF
	}
	n := copy(to, r.left)
	r.left = r.left[n:]
	return n, nil
}

// Close may be called more than once.
func (r *bodyReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.body != nil {
		r.body.release()
		r.body, r.left = nil, nil
	}
	return nil
}
