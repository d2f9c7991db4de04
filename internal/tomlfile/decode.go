package tomlfile

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

var duration = reflect.TypeFor[time.Duration]()

// decode fills the struct that into points to.
func (f *File) decode(all map[string]any, into any) {
	f.table("", all, reflect.ValueOf(into).Elem())
}

// value fills one value of a file into a field; a value of another kind is refused.
func (f *File) value(key string, from any, to reflect.Value) {
	if to.Type() == duration {
		f.duration(key, from, to)
		return
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		f.value(key, from, to.Elem())
	case reflect.Struct:
		if table, ok := from.(map[string]any); ok {
			f.table(key, table, to)
		} else {
			f.wrongType(key, "a table", from)
		}
	case reflect.Map:
		if table, ok := from.(map[string]any); ok {
			f.tables(key, table, to)
		} else {
			f.wrongType(key, "a table", from)
		}
	case reflect.Slice:
		if list, ok := from.([]any); ok {
			to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
			for i, element := range list {
				f.value(fmt.Sprintf("%s[%d]", key, i), element, to.Index(i))
			}
		} else {
			f.wrongType(key, "a list", from)
		}
	default:
		f.scalar(key, from, to)
	}
}

func (f *File) scalar(key string, from any, to reflect.Value) {
	switch to.Kind() {
	case reflect.String:
		if text, ok := from.(string); ok {
			to.SetString(text)
			return
		}
		f.wrongType(key, "text in quotes", from)
	case reflect.Bool:
		if b, ok := from.(bool); ok {
			to.SetBool(b)
			return
		}
		f.wrongType(key, "true or false", from)
	case reflect.Int:
		if n, ok := from.(int64); ok && !to.OverflowInt(n) {
			to.SetInt(n)
			return
		}
		f.wrongType(key, "a whole number", from)
	case reflect.Float64:
		switch n := from.(type) {
		case int64:
			to.SetFloat(float64(n))
		case float64:
			if math.IsNaN(n) || math.IsInf(n, 0) {
				f.Refuse(key, "%v is not a number to count with", n)
				return
			}
			to.SetFloat(n)
		default:
			f.wrongType(key, "a number", from)
		}
	default:
		panic("tomlfile: a field of kind " + to.Kind().String())
	}
}

func (f *File) duration(key string, from any, to reflect.Value) {
	text, ok := from.(string)
	if !ok {
		f.wrongType(key, `a duration in quotes, such as "10m"`, from)
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		f.Refuse(key, `%q is not a duration: write whole numbers with h, m, s or ms, such as "1m30s"`, text)
		return
	}
	to.SetInt(int64(d))
}

// table fills a struct, and refuses what is not one of its keys.
func (f *File) table(key string, from map[string]any, to reflect.Value) {
	fields := map[string]int{}
	var known []string
	for i := range to.NumField() {
		if name := to.Type().Field(i).Tag.Get("toml"); name != "" {
			fields[name] = i
			known = append(known, name)
		}
	}
	for _, name := range sorted(from) {
		at := join(key, name)
		i, ok := fields[name]
		if !ok {
			f.Refuse(at, "unknown key; %s takes %s", tableName(key), strings.Join(known, ", "))
			continue
		}
		f.value(at, from[name], to.Field(i))
	}
}

// tables fills a map of tables by name.
func (f *File) tables(key string, from map[string]any, to reflect.Value) {
	to.Set(reflect.MakeMapWithSize(to.Type(), len(from)))
	for _, name := range sorted(from) {
		element := reflect.New(to.Type().Elem())
		if d, ok := element.Interface().(interface{ SetDefaults() }); ok {
			d.SetDefaults()
		}
		f.value(join(key, name), from[name], element.Elem())
		to.SetMapIndex(reflect.ValueOf(name), element.Elem())
	}
}

func (f *File) wrongType(key, want string, got any) {
	f.Refuse(key, "must be %s, not %s", want, kindOf(got))
}

func kindOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "a table"
	case []any:
		return "a list"
	case string:
		return "text"
	case bool:
		return "true or false"
	case int64, float64:
		return fmt.Sprintf("the number %v", v)
	}
	return "a date or time"
}

func tableName(key string) string {
	if key == "" {
		return "the file"
	}
	return "[" + key + "]"
}

func sorted(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
