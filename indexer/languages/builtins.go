package languages

import (
	"strings"

	"ambit/vectors/record"
)

// words is a set of names.
type words map[string]bool

func wordsOf(lists ...string) words {
	w := words{}
	for _, l := range lists {
		for _, f := range strings.Fields(l) {
			w[f] = true
		}
	}
	return w
}

// The built-in names of each language that workspaces rarely declare. The lists leave out
// names that workspaces often declare for a whole package (Go's min before 1.21, Rust's
// Result).
var (
	goBuiltins = wordsOf(`bool byte rune string error any int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64
		complex64 complex128 true false nil iota append cap close complex copy delete imag len make new panic print println real recover`)
	pythonBuiltins = wordsOf(`int str bool float bytes bytearray complex list dict set frozenset tuple object None True False Ellipsis
		NotImplemented len range print isinstance issubclass hasattr getattr setattr delattr repr sorted reversed enumerate zip map filter
		any all sum min max abs round id hash iter next callable vars dir globals locals property staticmethod classmethod open
		ord chr hex bin divmod memoryview slice format input BaseException Exception ValueError TypeError KeyError IndexError AttributeError
		RuntimeError NotImplementedError StopIteration StopAsyncIteration OSError IOError ImportError ModuleNotFoundError AssertionError
		LookupError UnicodeDecodeError UnicodeEncodeError UnicodeError KeyboardInterrupt SystemExit FileNotFoundError PermissionError
		ConnectionResetError BrokenPipeError EOFError ZeroDivisionError OverflowError ArithmeticError Warning UserWarning DeprecationWarning
		RuntimeWarning ResourceWarning __name__ __file__ __doc__`)
	scriptBuiltins = wordsOf(`undefined NaN Infinity null true false string number boolean bigint symbol never console Math JSON Object Array Promise Map Set WeakMap
		WeakSet WeakRef Symbol Number String Boolean BigInt Date RegExp Reflect Proxy Function globalThis ArrayBuffer Uint8Array Int8Array
		Uint16Array Int32Array Uint32Array Float32Array Float64Array DataView setTimeout clearTimeout setInterval clearInterval setImmediate
		queueMicrotask parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI require module exports arguments Error
		TypeError RangeError SyntaxError ReferenceError Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters
		ReturnType InstanceType Awaited ReadonlyArray PromiseLike Iterable Iterator AsyncIterable AsyncIterator AsyncGenerator Generator`)
	rustBuiltins = wordsOf(`Vec String Option Some None Ok Err Box bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64
		std core alloc println print eprintln eprint format write writeln vec panic assert assert_eq assert_ne debug_assert debug_assert_eq
		unreachable unimplemented todo matches drop Send Sync Sized Copy Clone Fn FnMut FnOnce Drop Default PartialEq Eq PartialOrd Ord
		Iterator IntoIterator Into From AsRef AsMut ToString ToOwned true false include_str include_bytes concat env cfg derive stringify`)
	javaBuiltins = wordsOf(`String Object Integer Long Double Float Boolean Byte Short Character Number Void Math System Thread Runnable
		Iterable Comparable CharSequence StringBuilder StringBuffer Exception RuntimeException Error Throwable IllegalArgumentException
		IllegalStateException NullPointerException IndexOutOfBoundsException ArrayIndexOutOfBoundsException UnsupportedOperationException
		ClassCastException ClassNotFoundException CloneNotSupportedException InterruptedException NumberFormatException AssertionError
		ArithmeticException Override Deprecated SuppressWarnings SafeVarargs FunctionalInterface Enum Class ClassLoader Record AutoCloseable
		Cloneable int long double float boolean byte short char void var length`)
	csharpBuiltins = wordsOf(`int uint long ulong short ushort byte sbyte nint nuint float double decimal char string bool object void Object String Int32 Int64 UInt32 UInt64 Int16 Byte Boolean Double Single Decimal Char Type Enum Array Math Console Convert
		Guid DateTime DateTimeOffset TimeSpan StringBuilder StringComparison CultureInfo Exception ArgumentException ArgumentNullException ArgumentOutOfRangeException
		InvalidOperationException NotImplementedException NotSupportedException IOException AggregateException OperationCanceledException
		IEnumerable IEnumerator IList IDictionary ICollection IReadOnlyList IReadOnlyCollection IReadOnlyDictionary IDisposable IAsyncDisposable IComparable
		IEquatable IFormatProvider List Dictionary HashSet Queue Stack KeyValuePair Func Action Predicate Tuple ValueTuple Nullable Lazy Task ValueTask Thread
		CancellationToken CancellationTokenSource Interlocked Monitor Stream MemoryStream StreamReader StreamWriter TextReader TextWriter StringReader
		StringWriter Encoding Attribute Delegate EventArgs EventHandler Span ReadOnlySpan Memory ReadOnlyMemory GC Environment nameof value field var dynamic
		SuppressMessage SuppressMessageAttribute Obsolete ObsoleteAttribute Serializable SerializableAttribute Flags FlagsAttribute`)
	phpBuiltins = wordsOf(`int float string bool array iterable callable object mixed void never null true false TRUE FALSE NULL
		PHP_EOL PHP_VERSION PHP_OS PHP_INT_MAX __CLASS__ __DIR__ __FILE__ __LINE__ __FUNCTION__ __METHOD__ __NAMESPACE__ class Exception Error Throwable
		RuntimeException InvalidArgumentException LogicException TypeError ValueError ErrorException UnexpectedValueException OutOfBoundsException
		BadMethodCallException DomainException LengthException OverflowException RangeException Closure Generator Traversable Iterator IteratorAggregate
		ArrayAccess Countable Stringable JsonSerializable Serializable ArrayObject ArrayIterator stdClass DateTime DateTimeImmutable DateTimeInterface
		DateTimeZone DateInterval ReflectionClass ReflectionMethod ReflectionProperty ReflectionFunction WeakMap SplObjectStorage PDO count isset unset
		empty array_map array_filter array_merge array_keys array_values array_key_exists in_array implode explode sprintf printf strlen str_replace
		substr strpos trim strtolower strtoupper is_array is_string is_int is_null is_callable is_object is_bool is_numeric json_encode json_decode
		preg_match preg_replace function_exists class_exists method_exists call_user_func call_user_func_array func_get_args get_class gettype
		var_dump print_r define defined constant`)
	kotlinBuiltins = wordsOf(`Int Long Short Byte Float Double Boolean Char String Any Unit Nothing Array IntArray ByteArray LongArray CharArray List MutableList
		Set MutableSet Map MutableMap Collection Iterable Sequence Pair Triple Comparable CharSequence Number Throwable Exception RuntimeException Error
		IllegalArgumentException IllegalStateException UnsupportedOperationException NoSuchElementException IndexOutOfBoundsException NullPointerException
		ClassCastException AssertionError Override Deprecated Suppress JvmStatic JvmField JvmName JvmOverloads Throws OptIn Volatile null true false it field
		println print require requireNotNull check checkNotNull error listOf mutableListOf emptyList setOf mutableSetOf mapOf mutableMapOf arrayOf
		byteArrayOf intArrayOf lazy TODO repeat buildList buildString System Math Thread Runnable Class ClassLoader Object`)
	swiftBuiltins = wordsOf(`Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 Float Double Bool Character String Substring Any AnyObject Void Never Self
		Array Dictionary Set Optional Error Equatable Hashable Comparable Codable Encodable Decodable Sendable CustomStringConvertible Identifiable
		Sequence Collection IteratorProtocol RawRepresentable CaseIterable AnyHashable Data Date URL UUID NSObject DispatchQueue
		escaping autoclosure available discardableResult objc inlinable usableFromInline frozen main State Published testable preconcurrency
		print debugPrint precondition preconditionFailure fatalError assert assertionFailure min max abs zip stride type unsafeBitCast withUnsafeBytes
		XCTAssert XCTAssertEqual XCTAssertTrue XCTAssertFalse XCTAssertNil XCTAssertNotNil XCTAssertThrowsError XCTAssertNoThrow XCTFail XCTUnwrap XCTestCase
		nil true false error newValue oldValue`)
	scalaBuiltins = wordsOf(`Int Long Short Byte Float Double Boolean Char String Unit Any AnyRef AnyVal Nothing Null Array Option Some None List Nil Seq Vector Set Map
		Either Left Right Iterator Iterable Throwable Exception RuntimeException IllegalArgumentException Error Product Serializable Function1 PartialFunction
		Future ExecutionContext Try Success Failure BigInt BigDecimal StringBuilder println print require assert implicitly summon identity locally classOf
		true false null deprecated tailrec inline specialized nowarn`)
	rubyBuiltins = wordsOf(`puts print p pp raise require require_relative load autoload attr_accessor attr_reader attr_writer include extend
		prepend private protected public module_function private_constant private_class_method alias_method define_method lambda proc
		loop catch throw format sprintf gets rand sleep exit abort at_exit binding block_given? freeze nil true false __FILE__
		fail caller trap system spawn fork exec warn srand at_exit instance_variable_get
		instance_variable_set send public_send respond_to? is_a? nil? __method__ __dir__ String Array Hash Integer Float Symbol Proc Regexp Range Struct Object BasicObject Kernel Module Class
		Comparable Enumerable StandardError ArgumentError RuntimeError TypeError NameError NoMethodError KeyError IndexError
		NotImplementedError IOError Errno Exception ENV ARGV STDIN STDOUT STDERR Time File Dir IO Math Process`)
	cBuiltins = wordsOf(`NULL true false bool size_t ssize_t ptrdiff_t off_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
		intptr_t uintptr_t intmax_t uintmax_t wchar_t time_t FILE va_list char short int long float double void unsigned signed sizeof
		std nullptr nullptr_t defined __FILE__ __LINE__ __func__`)
	bashBuiltins = wordsOf(`. : [ alias awk basename bash bg break builtin caller cat cd chmod chown command compgen complete compopt continue cp curl cut
		date declare dirname dirs disown echo egrep enable env eval exec exit export false fg find getopts grep hash head help history id jobs kill let
		ln local logout ls mapfile mkdir mktemp mv popd printf ps pushd pwd read readarray readlink readonly return rm rmdir sed set sh shift shopt sleep
		sort source sudo suspend tail tar tee test time times touch tr trap true type typeset ulimit umask unalias uname uniq unset wait wc which xargs
		IFS PATH HOME PWD OLDPWD USER SHELL HOSTNAME RANDOM LINENO SECONDS BASH BASHPID BASH_SOURCE BASH_LINENO BASH_VERSION BASH_VERSINFO BASH_REMATCH
		FUNCNAME OSTYPE PIPESTATUS REPLY OPTARG OPTIND TERM EDITOR LANG LC_ALL TMPDIR UID EUID PS1 PS2 PS4 EXIT INT TERM HUP ERR DEBUG COLUMNS LINES`)
	luaBuiltins = wordsOf(`assert collectgarbage dofile error getmetatable setmetatable ipairs pairs load loadfile loadstring next pcall print rawequal
		rawget rawlen rawset require select tonumber tostring type unpack xpcall _G _ENV _VERSION arg coroutine debug io math os package string table
		utf8 bit bit32 jit ffi ngx vim setfenv getfenv module`)
	ocamlBuiltins = wordsOf(`int char string bytes float bool unit exn array list option nativeint int32 int64 lazy_t ref format result
		raise raise_notrace invalid_arg failwith not fst snd ignore print_string print_endline print_int prerr_endline printf sprintf min max abs
		true false Some None Ok Error incr decr exit at_exit compare succ pred mod land lor lxor string_of_int int_of_string string_of_float float_of_int
		int_of_float List Array String Bytes Char Hashtbl Map Set Printf Format Printexc Sys Unix Option Result Seq Fun Buffer Random Stdlib Lazy Queue
		Stack Filename Int Int32 Int64 Float Bool Obj Gc Arg Str Bigarray Scanf Lexing Parsing Domain Atomic Mutex Condition Thread Effect Either Uchar
		Not_found Invalid_argument Failure Exit End_of_file Stack_overflow Out_of_memory`)
	protobufBuiltins = wordsOf(`double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes google.protobuf`)
	elixirBuiltins   = wordsOf(`def defp defmacro defmacrop defmodule defprotocol defimpl defstruct defexception defdelegate defguard defguardp defoverridable
		alias import require use quote unquote unquote_splicing if unless case cond with for receive try raise reraise throw fn do end when and or not in
		abs apply binary_part binding bit_size byte_size ceil destructure div elem exit floor get_in hd inspect is_atom is_binary is_bitstring is_boolean
		is_exception is_float is_function is_integer is_list is_map is_map_key is_nil is_number is_pid is_port is_reference is_struct is_tuple length
		macro_exported? make_ref map_size match? max min node pop_in put_elem put_in rem round self send sigil_r sigil_s spawn spawn_link struct struct!
		tap then throw tl to_charlist to_string trunc tuple_size update_in var! function_exported? dbg super assert refute assert_raise assert_receive
		refute_receive test describe setup setup_all on_exit field schema embedded_schema belongs_to has_many has_one many_to_many embeds_one embeds_many
		timestamps doc moduledoc typedoc spec type typep opaque callback macrocallback behaviour impl tag moduletag describetag dialyzer
		Agent Application Atom Base Bitwise Code Date DateTime Enum Enumerable Exception ExUnit File Float Function GenServer IO Integer Kernel Keyword List
		Logger Macro Map MapSet Module NaiveDateTime Node Path Port Process Protocol Range Record Regex Registry Stream String StringIO Supervisor System
		Task Time Tuple URI Version nil true false __CALLER__ __ENV__ __DIR__ __STACKTRACE__ term atom binary integer boolean keyword list map pid any
		no_return non_neg_integer pos_integer number float String.t`)
)

// libraries are the name spaces of the standard libraries that code names without an import.
// They are builtins, too: alone they mean nothing.
var (
	rustLibraries = wordsOf(`std core alloc`)
	cppLibraries  = wordsOf(`std`)
)

// library marks the receiver of a reference that a name space of a standard library starts,
// and reports whether it does. builtins are those of the file, which can declare the name itself.
func (r *row) library(ref *Ref, builtins words) bool {
	first, _, _ := strings.Cut(ref.Receiver, ".")
	if ref.Kind == record.EdgeImports || !r.libraries[first] || !builtins[first] {
		return false
	}
	ref.Receiver = Library + ref.Receiver
	return true
}

// cover reports whether a reference names a builtin.
func (w words) cover(r *Ref) bool {
	if r.Kind == record.EdgeImports || r.Kind == record.EdgeAssociates {
		return false
	}
	if r.Receiver == "" {
		return w[r.Name]
	}
	if w == nil {
		return r.Receiver[0] == Builtin[0]
	}
	first, _, _ := strings.Cut(r.Receiver, ".")
	return first == Builtin || w[strings.TrimSuffix(first, "()")]
}

// builtins returns the builtins of the row, without the names that the file declares.
func (b *builder) builtins(o *Outline) words {
	all := b.row.builtins
	var own []string
	add := func(name string) {
		if all[name] {
			own = append(own, name)
		}
	}
	for i := range o.Decls {
		add(o.Decls[i].Name)
	}
	for i := range o.Imports {
		add(o.Imports[i].Local)
	}
	for i := range o.Bindings {
		add(o.Bindings[i].Name)
	}
	if len(own) == 0 {
		return all
	}
	left := make(words, len(all))
	for n := range all {
		left[n] = true
	}
	for _, n := range own {
		delete(left, n)
	}
	return left
}

// typePath reads a written type as the function typePath does. It returns Builtin for a
// builtin.
func (r *row) typePath(s string) string {
	if r.fixType != nil {
		s = r.fixType(s)
	}
	p := r.rooted(typePath(s))
	if r.builtins[p] {
		return Builtin
	}
	return p
}

// path reads an expression as the function pathOf does. It spells the words for the value or
// the type around a use, and for its base, as in all languages.
func (r *row) path(s string) string { return r.rooted(pathOf(s)) }

// rooted returns a path with its first name as all languages spell it.
func (r *row) rooted(p string) string {
	if r.roots == nil {
		return p
	}
	first, rest, more := strings.Cut(p, ".")
	first, _, _ = strings.Cut(first, "@") // this@Outer
	switch root, ok := r.roots[strings.TrimSuffix(first, "()")]; {
	case !ok:
		return p
	case more:
		return root + "." + rest
	default:
		return root
	}
}

// valuePath reads an expression that a name is bound to; see pathOf.
func (r *row) valuePath(s string) string {
	for _, call := range r.allocators {
		if args, ok := strings.CutPrefix(s, call); ok {
			return r.typePath(firstArgument(args))
		}
	}
	for _, call := range r.passers {
		if args, ok := strings.CutPrefix(s, call); ok {
			return r.path(firstArgument(args))
		}
	}
	p := r.path(s)
	switch {
	case p == "None" || p == "nil" || p == "null" || p == "undefined" || p == "NULL" || p == "nullptr":
		return unknown // a later assignment may have a type
	case r.builtins[p]:
		return Builtin
	}
	return p
}

// firstArgument returns the first argument of a list that ends with ")".
func firstArgument(args string) string {
	if len(args) > maxPathBytes {
		return ""
	}
	return strings.TrimSpace(splitTop(strings.TrimSuffix(args, ")"))[0])
}
