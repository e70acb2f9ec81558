package push

import "github.com/klauspost/compress/s2"

// Compress returns src as a raw snappy block, which is the one form in which Loki takes protobuf;
// a gzip around it is possible and of no use. The block overwrites dst from its beginning where
// its capacity is MaxCompressedSize or more, and is allocated where not.
func Compress(dst, src []byte) []byte {
	return s2.EncodeSnappy(dst, src)
}

// MaxCompressedSize is the room that Compress wants for n bytes.
func MaxCompressedSize(n int) int {
	return s2.MaxEncodedLen(n)
}
