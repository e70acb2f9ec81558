package lokiexporter

import (
	"errors"
	"io"
	"sync"
)

// bodies are the memory of compressed bodies of pushes, which is used again.
type bodies struct{ pool sync.Pool } // of *[]byte

// body is that of one push. A transport may read on after it has answered, and may ask for the body
// again, so its memory is used again only when the push has ended and all readers are closed.
type body struct {
	pool *sync.Pool
	data []byte

	mu    sync.Mutex
	users int // readers, and the push
}

// take returns a body for a push of at most so many bytes, with no data.
func (b *bodies) take(most int) *body {
	known, ok := b.pool.Get().(*[]byte)
	if !ok || cap(*known) < most {
		return &body{pool: &b.pool, data: make([]byte, most), users: 1}
	}
	return &body{pool: &b.pool, data: (*known)[:cap(*known)], users: 1}
}

// release ends the use by a reader, or by the push itself.
func (b *body) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users--; b.users == 0 {
		data := b.data
		b.data = nil
		b.pool.Put(&data)
	}
}

// reader returns the body from its beginning. It fails once the memory is that of another push.
func (b *body) reader() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.users == 0 {
		return nil, errClosed
	}
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
