package languages

// flags are a set of flags as bitflags! reads them: struct Name: u32 { const A = 1; }. No item of Rust
// has this form, so the macro does not matter.
type flags struct {
	at    int // the keyword struct
	colon int
	brace int
	end   int // behind the closing brace
}

// readFlags reads the set of flags whose keyword is at i.
func readFlags(src []byte, i int) (flags, bool) {
	if string(wordAt(src, i)) != "struct" {
		return flags{}, false
	}
	name := rustBlanks(src, rustToken(src, i))
	f := flags{at: i, colon: rustBlanks(src, rustToken(src, name))}
	if f.colon >= len(src) || src[f.colon] != ':' || len(wordAt(src, name)) == 0 {
		return flags{}, false
	}
	for f.brace = f.colon + 1; f.brace < len(src) && (isWordByte(src[f.brace]) || src[f.brace] == ':' || isBlank(src[f.brace])); {
		f.brace++ // a path
	}
	if f.brace >= len(src) || src[f.brace] != '{' {
		return flags{}, false
	}
	f.end = groupEnd(src, f.brace)
	return f, true
}

// openFlags writes a set of flags as an enum, whose constants they are used like, and returns its end:
//
//	struct Name: u32 { const A = 1; const _ = !0; }   // becomes
//	enum   Name      {       A = 1,               }
func (o *macroOpener) openFlags(f flags) int {
	o.blank(f.at, f.at+len("struct"))
	copy(o.out[f.at:], "enum")
	o.blank(f.colon, f.brace)
	for i := f.brace + 1; i < f.end-1; {
		switch c := o.src[i]; {
		case c == '#':
			i = o.attribute(i)
		case c == '{' || c == '(' || c == '[':
			i = groupEnd(o.src, i)
		case c == ';':
			o.out[i] = ','
			i++
		case string(wordAt(o.src, i)) == "const":
			i = o.openFlag(i, f.end-1)
		default:
			i = rustToken(o.src, i)
		}
	}
	o.newItem()
	return f.end
}

// openFlag blanks the keyword of the flag at i, or all of a flag without a name, and returns where to
// go on.
func (o *macroOpener) openFlag(i, to int) int {
	name := rustBlanks(o.src, i+len("const"))
	if string(wordAt(o.src, name)) != "_" {
		o.blank(i, i+len("const"))
		return name
	}
	end := name
	for end < to && o.src[end] != ';' {
		end = rustToken(o.src, end)
	}
	end = min(end+1, to)
	o.blank(i, end)
	return end
}
