package extract

// pythonReader goes once over the repr of Python objects and stops at what is
// of interest: rid='f3…' of GenerateReqInput(…), 'prompt_tokens': 5 of {…}.
type pythonReader struct {
	x   *Extractor
	f   *Found
	s   string
	pos int
}

// members reads key=value or 'key': value, parted by commas, up to a closing
// bracket or, if closing is 0, to the end. It reports whether it could.
func (r *pythonReader) members(p place, depth int, name string, nest nesting, closing byte) bool {
	p.rank += rankDepth
	for {
		r.skip(" ,\n")
		if r.pos == len(r.s) {
			return closing == 0
		}
		if r.s[r.pos] == closing {
			r.pos++
			return true
		}
		key, ok := r.key()
		if !ok {
			return false
		}
		e := r.x.lookUp(name, key, nest)
		if !r.value(&e, p, depth, name, key) || !r.toComma() {
			return false
		}
	}
}

func (r *pythonReader) skip(chars string) {
	for r.pos < len(r.s) {
		found := false
		for i := range len(chars) {
			found = found || chars[i] == r.s[r.pos]
		}
		if !found {
			return
		}
		r.pos++
	}
}

// key reads a key and the = or : behind it.
func (r *pythonReader) key() (string, bool) {
	key := ""
	if c := r.s[r.pos]; c == '\'' || c == '"' {
		text, ok := r.str()
		if !ok {
			return "", false
		}
		key = text
	} else {
		key = r.word()
	}
	r.skip(" ")
	if key == "" || r.pos == len(r.s) || r.s[r.pos] != '=' && r.s[r.pos] != ':' {
		return "", false
	}
	r.pos++
	r.skip(" ")
	return key, r.pos < len(r.s)
}

func (r *pythonReader) word() string {
	start := r.pos
	for r.pos < len(r.s) && (wordByte(r.s[r.pos]) || r.s[r.pos] == '+') {
		r.pos++
	}
	return r.s[start:r.pos]
}

// str reads a quoted text.
func (r *pythonReader) str() (string, bool) {
	end, escaped := closingQuote(r.s, r.pos+1, r.s[r.pos])
	if end < 0 {
		r.pos = len(r.s)
		return "", false
	}
	text := r.s[r.pos+1 : end]
	r.pos = end + 1
	if escaped {
		return "", true // of no interest
	}
	return text, true
}

// value reads the value of a member, or its beginning.
func (r *pythonReader) value(e *entry, p place, depth int, name, key string) bool {
	switch c := r.s[r.pos]; c {
	case '\'', '"':
		text, ok := r.str()
		if ok && e.means != meansNothing {
			r.x.take(r.f, e, value{text: text}, p)
		}
		return ok
	case '{':
		return r.nested(e, p, depth, name, key, '}')
	}
	word := r.word()
	if r.pos < len(r.s) && r.s[r.pos] == '(' {
		return r.nested(e, p, depth, name, key, ')')
	}
	// What reaches the end may go on behind it.
	if e.means != meansNothing && word != "" && word != "None" && r.pos < len(r.s) {
		r.x.take(r.f, e, value{text: word}, p)
	}
	return true
}

func (r *pythonReader) nested(e *entry, p place, depth int, name, key string, closing byte) bool {
	if e.nest == 0 || depth == maxDepth {
		return true // toComma skips it
	}
	r.pos++
	return r.members(p, depth+1, joined(name, key, e.nest), e.nest, closing)
}

// toComma skips what is left of a value: 'half' ... 'half' of a long text, a
// list, an object.
func (r *pythonReader) toComma() bool {
	depth := 0
	for r.pos < len(r.s) {
		switch c := r.s[r.pos]; c {
		case '\'', '"':
			if _, ok := r.str(); !ok {
				return false
			}
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return true
			}
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
		r.pos++
	}
	return true
}
