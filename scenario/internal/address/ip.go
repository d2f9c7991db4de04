package address

import (
	"net/netip"
	"strconv"
	"strings"
)

// maxIPv6 bounds an IPv6 address without its zone, in bytes.
const maxIPv6 = len("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255")

// ipv6 finds IPv6 addresses, bracketed or bare, with zones and mapped IPv4.
func (sc *scanner) ipv6() {
	in := func(c byte) bool { return hexDigit(c) || c == ':' || c == '.' }
	for i := 0; i < len(sc.s); i++ {
		if !in(sc.s[i]) {
			continue
		}
		end := sc.run(i, in)
		from, to := sc.ipv6In(i, end)
		if to == from && end == i+len("::") && sc.s[i:end] == "::" && sc.at(i-1) == '[' && sc.at(end) == ']' {
			to = end
		}
		if to > from {
			to = sc.zone(to)
			if sc.at(from-1) == '[' && sc.at(to) == ']' {
				from, to = from-1, to+1
			}
			sc.add(kindIPv6, from, to)
		}
		i = max(end, to) - 1
	}
}

// ipv6In finds the address in the stretch from, to of hex digits, colons and dots; an
// empty range where it holds none.
func (sc *scanner) ipv6In(from, to int) (int, int) {
	if strings.Count(sc.s[from:min(to, from+2*maxIPv6)], ":") < 2 {
		return from, from
	}
	if sc.wordAt(from - 1) { // "addr:fe80::1": the stretch starts inside a word
		from += strings.IndexByte(sc.s[from:to], ':') + 1
		if sc.at(from) == ':' && sc.at(from+1) != ':' {
			return from, from
		}
	}
	if strings.HasPrefix(sc.s[from:to], ":::") || sc.at(from) == ':' && sc.at(from+1) != ':' {
		from++
	}
	if sc.wordAt(to) { // the stretch ends inside a word
		return from, from
	}
	for range 2 { // a full stop or a colon of the sentence may follow
		s := sc.s[from:to]
		if validIPv6(s) {
			return from, to
		}
		if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ":") {
			break
		}
		to--
	}
	return from, from
}

// validIPv6 reports an IPv6 address. Hex words around ::, as of code, are let off:
// an address has a digit or more than two groups.
func validIPv6(s string) bool {
	if len(s) > maxIPv6 {
		return false
	}
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is6() {
		return false
	}
	return strings.ContainsAny(s, "0123456789") || strings.Count(s, ":") > 2
}

// zone returns the end of the zone that follows an IPv6 address at i.
func (sc *scanner) zone(i int) int {
	if sc.at(i) != '%' {
		return i
	}
	end := sc.run(i+1, func(c byte) bool { return alnum(c) || c == '.' || c == '-' || c == '_' })
	end = i + 1 + len(strings.TrimRight(sc.s[i+1:end], ".-"))
	if end == i+1 {
		return i
	}
	return end
}

// hardware finds MAC addresses: six or eight pairs of hex digits, or three groups of
// four with dots.
func (sc *scanner) hardware() {
	in := func(c byte) bool { return hexDigit(c) || c == ':' || c == '-' || c == '.' }
	for i := 0; i < len(sc.s); i++ {
		if !in(sc.s[i]) {
			continue
		}
		end := sc.run(i, in)
		to := i + len(strings.TrimRight(sc.s[i:end], ":-."))
		if s := sc.s[i:to]; !sc.wordAt(i-1) && !sc.wordAt(end) && mac(s) {
			sc.add(kindHardware, i, to)
		}
		i = end - 1
	}
}

func mac(s string) bool {
	group, sep := 2, byte(0)
	switch len(s) {
	case len("00:00:5e:00:53:01"), len("02:00:5e:10:00:00:00:01"):
		sep = s[2]
	case len("0000.5e00.5301"):
		group, sep = 4, '.'
		if !strings.ContainsAny(s, "abcdefABCDEF") { // a number with dots
			return false
		}
	}
	if sep == 0 || hexDigit(sep) || group == 2 && sep == '.' {
		return false
	}
	for i := range len(s) {
		if atSep := i%(group+1) == group; atSep && s[i] != sep || !atSep && !hexDigit(s[i]) {
			return false
		}
	}
	return true
}

// ipv4 finds IPv4 addresses in every form that inet_aton takes and that is not an
// ordinary number or version.
func (sc *scanner) ipv4() {
	in := func(c byte) bool { return alnum(c) || c == '.' }
	for i := 0; i < len(sc.s); i++ {
		if !in(sc.s[i]) {
			continue
		}
		end := sc.run(i, in)
		sc.ipv4In(i, end)
		i = end - 1
	}
}

// ipv4In looks at the stretch from, to of letters, digits and dots: at each row of
// numbers that single dots separate.
func (sc *scanner) ipv4In(from, to int) {
	var numbers [5]string // one more than an address has
	n, start, end := 0, from, from
	for i := from; i <= to; {
		dot := strings.IndexByte(sc.s[i:to], '.')
		if dot < 0 {
			dot = to - i
		}
		label := sc.s[i : i+dot]
		isNumber := inetNumber(label)
		if isNumber {
			if n == 0 {
				start = i
			}
			if n < len(numbers) {
				numbers[n] = label
			}
			n, end = n+1, i+dot
		}
		if i += dot + 1; isNumber && i <= to {
			continue
		}
		if n > 0 && n < len(numbers) && sc.ipv4Stands(numbers[:n], start, end) {
			sc.add(kindIPv4, start, end)
		}
		n = 0
	}
}

// ipv4Stands reports whether the numbers between start and end are an address where
// they stand.
func (sc *scanner) ipv4Stands(numbers []string, start, end int) bool {
	parts, plain := inetParts(numbers)
	if parts == nil {
		return false
	}
	if !plain && len(numbers) < 4 && sc.documentBefore(start) {
		return false
	}
	port, _, hasPort := sc.port(end)
	portLike := hasPort && plausiblePort(port)
	lone := start == 0 && end == len(sc.s)
	switch len(numbers) {
	case 4:
		return !sc.versionSuffix(end)
	case 3:
		return !plain && !date(numbers) || portLike || lone && parts[0] == 127 && parts[2] == 1
	case 2:
		return !plain || portLike && start > 0 && sc.at(start-1) != '-' || portLike && start == 0 ||
			lone && parts[0] == 127 && parts[1] == 1
	}
	// One number: only where its spelling or what follows says that it is no count.
	big := parts[0] >= 1<<24
	if c := sc.at(start - 1); c == '-' || c == '+' || c == '#' || c == '_' || sc.at(end) == '_' || sc.at(end) == '-' {
		return false
	}
	return big && (!plain || portLike)
}

// documentBefore reports a word before i behind which a padded number is that of a
// document.
func (sc *scanner) documentBefore(i int) bool {
	end := i
	for end > 0 && i-end < 2 && (sc.s[end-1] == ' ' || sc.s[end-1] == '-') {
		end--
	}
	start := end
	for start > 0 && end-start < maxLabel && letter(sc.s[start-1]) {
		start--
	}
	return documents[strings.ToLower(sc.s[start:end])]
}

// versionSuffix reports a pre-release or a file ending behind four numbers: they are
// a version then.
func (sc *scanner) versionSuffix(end int) bool {
	c := sc.at(end)
	if c != '-' && c != '.' && c != '+' {
		return false
	}
	word := sc.s[end+1 : sc.run(end+1, letter)]
	return word != "" && (preReleases[strings.ToLower(word)] || c == '.' && archives[strings.ToLower(word)])
}

// inetNumber reports a number as inet_aton reads one.
func inetNumber(s string) bool {
	if len(s) > 2 && s[0] == '0' && lower(s[1]) == 'x' {
		return strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
	}
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// inetParts returns the values of the parts of an address, nil where they are none;
// plain where every one of them is spelled as an ordinary decimal.
func inetParts(numbers []string) (parts []uint64, plain bool) {
	plain = true
	if len(numbers) == 0 || len(numbers) > 4 {
		return nil, plain
	}
	for i, s := range numbers {
		if !inetNumber(s) {
			return nil, plain
		}
		last := i == len(numbers)-1
		limit := uint64(1) << 8
		if last {
			limit = 1 << (8 * (5 - len(numbers)))
		}
		value, odd, ok := inetValue(s)
		if !ok || value >= limit {
			return nil, plain
		}
		// A leading zero tells octal only where it is no fraction, day or number of
		// a document: 0.05, 01.02.2026, RFC 0040.5.
		if odd && (lower(s[min(1, len(s)-1)]) == 'x' || i == 0 && value > 0o77) {
			plain = false
		}
		parts = append(parts, value)
	}
	return parts, plain
}

// inetValue reads one part; odd where it is octal or hex.
func inetValue(s string) (value uint64, odd, ok bool) {
	base, digits := 10, s
	switch {
	case len(s) > 2 && lower(s[1]) == 'x':
		base, digits = 16, s[2:]
	case len(s) > 1 && s[0] == '0' && !strings.ContainsAny(s, "89"):
		base = 8
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return 0, base != 10, true
	}
	value, err := strconv.ParseUint(digits, base, 64)
	return value, base != 10, err == nil
}

// date reports day, month and year in either order.
func date(numbers []string) bool {
	return len(numbers) == 3 && (len(numbers[2]) == 4 || len(numbers[0]) == 4 && len(numbers[1]) == 2)
}
