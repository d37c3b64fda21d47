package graph

import "ambit/indexer/languages"

// java is a language of the Java virtual machine: Kotlin and Scala join its packages.
var java = &language{names: []string{"java"}, overloads: true, implicitSelf: true, packages: workspace, splitsByUse: true, calls: javaCalls, rules: javaRules{}}

type javaRules struct{ defaultRules }

// module finds the files of a package, or the file of the class that the path names or
// leads into: `import static a.b.Outer.Inner.name`.
func (javaRules) module(v *View, from *fileEntry, name string) module {
	if files := v.inPackage(name); len(files) > 0 {
		return module{files: files}
	}
	for class, rest := name, ""; ; {
		if m := (defaultRules{}).module(v, from, class); len(m.files) > 0 {
			_, own := languages.CutLast(class)
			return module{files: m.files, rest: own + rest}
		}
		before, last := languages.CutLast(class)
		if before == "" {
			return module{}
		}
		class, rest = before, "."+last+rest
	}
}

// javaCalls are the rules of Java's overloads, with the types and methods of its standard
// library that arguments have most often.
var javaCalls = &callRules{
	wider: []string{"byte", "short", "char", "int", "long", "float", "double"},
	boxes: map[string]string{"boolean": "Boolean", "byte": "Byte", "short": "Short", "char": "Character", "int": "Integer", "long": "Long", "float": "Float", "double": "Double"},
	supertypes: map[string]string{
		"String": "CharSequence Comparable Serializable", "StringBuilder": "CharSequence Appendable", "StringBuffer": "CharSequence Appendable", "CharBuffer": "CharSequence Appendable Readable",
		"CharSequence": "", "Comparable": "", "Serializable": "", "Iterable": "", "Iterator": "", "Appendable": "", "Readable": "", "Closeable": "AutoCloseable", "AutoCloseable": "", "Runnable": "", "Object": "",
		"Boolean": "Comparable Serializable", "Byte": "Number Comparable", "Short": "Number Comparable", "Integer": "Number Comparable", "Long": "Number Comparable", "Float": "Number Comparable",
		"Double": "Number Comparable", "Character": "Comparable Serializable", "Number": "Serializable", "BigInteger": "Number Comparable", "BigDecimal": "Number Comparable",
		"Collection": "Iterable", "List": "Collection", "Set": "Collection", "Queue": "Collection", "Deque": "Queue", "SortedSet": "Set", "NavigableSet": "SortedSet", "Map": "", "SortedMap": "Map",
		"NavigableMap": "SortedMap", "ArrayList": "List RandomAccess", "LinkedList": "List Deque", "HashSet": "Set", "LinkedHashSet": "HashSet", "TreeSet": "NavigableSet", "HashMap": "Map", "LinkedHashMap": "HashMap",
		"TreeMap": "NavigableMap", "ArrayDeque": "Deque", "ConcurrentMap": "Map", "ConcurrentHashMap": "ConcurrentMap", "Enumeration": "", "Properties": "Map", "ListIterator": "Iterator", "EnumMap": "Map", "EnumSet": "Set",
		"Writer": "Appendable Closeable", "StringWriter": "Writer", "PrintWriter": "Writer", "BufferedWriter": "Writer", "Reader": "Readable Closeable", "StringReader": "Reader", "BufferedReader": "Reader",
		"InputStreamReader": "Reader", "InputStream": "Closeable", "FileInputStream": "InputStream", "ByteArrayInputStream": "InputStream", "BufferedInputStream": "InputStream", "OutputStream": "Closeable",
		"ByteArrayOutputStream": "OutputStream", "FileOutputStream": "OutputStream", "PrintStream": "OutputStream Appendable", "File": "Comparable", "Path": "Comparable Iterable", "URI": "Comparable", "URL": "", "Charset": "Comparable",
		"Class": "Type", "Type": "", "ParameterizedType": "Type", "GenericArrayType": "Type", "WildcardType": "Type", "TypeVariable": "Type", "Method": "Executable Member", "Constructor": "Executable Member", "Field": "AccessibleObject Member",
		"Executable": "AccessibleObject", "Locale": "", "Date": "Comparable", "Calendar": "Comparable", "TimeZone": "", "Thread": "Runnable", "Throwable": "Serializable", "Exception": "Throwable", "RuntimeException": "Exception",
		"Error": "Throwable", "IOException": "Exception", "IllegalArgumentException": "RuntimeException", "IllegalStateException": "RuntimeException", "Pattern": "", "Matcher": "", "Random": "", "ClassLoader": "", "Duration": "Comparable",
		"Instant": "Comparable", "Function": "", "Supplier": "", "Consumer": "", "Predicate": "", "BiFunction": "", "UnaryOperator": "Function", "BinaryOperator": "BiFunction", "Comparator": "", "Callable": "", "Optional": "",
	},
	results: map[string]string{
		"toString": "String", "substring": "String", "trim": "String", "toLowerCase": "String", "toUpperCase": "String", "format": "String", "getName": "String", "getSimpleName": "String", "name": "String",
		"length": "int", "size": "int", "hashCode": "int", "indexOf": "int", "lastIndexOf": "int", "ordinal": "int", "compareTo": "int", "intValue": "int", "parseInt": "int", "charAt": "char", "longValue": "long", "doubleValue": "double",
		"floatValue": "float", "shortValue": "short", "byteValue": "byte", "booleanValue": "boolean", "charValue": "char", "currentTimeMillis": "long", "nanoTime": "long",
		"equals": "boolean", "isEmpty": "boolean", "contains": "boolean", "containsKey": "boolean", "hasNext": "boolean", "startsWith": "boolean", "endsWith": "boolean", "equalsIgnoreCase": "boolean",
		"toCharArray": "char[]", "getBytes": "byte[]", "toByteArray": "byte[]", "getClass": "Class", "entrySet": "Set", "keySet": "Set", "iterator": "Iterator", "listIterator": "ListIterator", "split": "String[]",
	},
}
