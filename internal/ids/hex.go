package ids

// noDigit is the value of a character that is no hexadecimal digit.
const noDigit = 0xff

var digits = func() (t [256]byte) {
	for i := range t {
		t[i] = noDigit
	}
	for i, c := range []byte("0123456789abcdef") {
		t[c] = byte(i)
	}
	for i, c := range []byte("ABCDEF") {
		t[c] = byte(10 + i)
	}
	return t
}()

// decode reads s, 1 to 2*len(dst) hexadecimal digits of either case, into the
// end of dst: a short id is a number with its leading zeros left out. It
// reports whether s was that; what it leaves in dst otherwise means nothing.
func decode(dst []byte, s string) bool {
	if s == "" || len(s) > 2*len(dst) {
		return false
	}
	at := len(dst) - (len(s)+1)/2
	clear(dst[:at])
	if len(s)%2 == 1 {
		low := digits[s[0]]
		if low == noDigit {
			return false
		}
		dst[at] = low
		at++
		s = s[1:]
	}
	for i := 0; i+1 < len(s); i += 2 {
		high, low := digits[s[i]], digits[s[i+1]]
		if high|low == noDigit { // a digit has no high bits, noDigit has all
			return false
		}
		dst[at] = high<<4 | low
		at++
	}
	return true
}

// decodeUUID reads s, 8-4-4-4-12 digits, into dst.
func decodeUUID(dst *[16]byte, s string) bool {
	if !uuid(s) {
		return false
	}
	return decode(dst[:4], s[:8]) && decode(dst[4:6], s[9:13]) && decode(dst[6:8], s[14:18]) &&
		decode(dst[8:10], s[19:23]) && decode(dst[10:], s[24:])
}

// decodeTwice reads 64 digits that spell the ASCII of 32 digits: an id that
// was taken for text and encoded once more (grafana/agent#4552).
func decodeTwice(dst *[16]byte, s string) bool {
	var once [32]byte
	return len(s) == 64 && decode(once[:], s) && decode(dst[:], string(once[:]))
}

// hexRun returns how many hexadecimal digits s begins with, and whether one of
// them is a letter.
func hexRun(s string) (n int, letter bool) {
	for n < len(s) && digits[s[n]] != noDigit {
		letter = letter || digits[s[n]] > 9
		n++
	}
	return n, letter
}

const uuidLen = 36

// uuid reports whether s is 8-4-4-4-12 hexadecimal digits.
func uuid(s string) bool {
	if len(s) != uuidLen {
		return false
	}
	for i := range uuidLen {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if digits[s[i]] == noDigit {
				return false
			}
		}
	}
	return true
}

func cutHexPrefix(s string) string {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		return s[2:]
	}
	return s
}
