package languages

import "ambit/vectors/record"

// foreign lists names that no file of a workspace declares as a rule, although nothing in a
// file that uses them says where they come from: the standard library of C, the words of
// Rails and of test frameworks, the classes that every file sees. "EXPECT_*" stands for all
// names with that start. They differ from the builtin names of a language, which never are
// references: a workspace that declares one of these can still ask for it.
//
// Source: the C17 standard and POSIX, the JDK's java.lang, the Haskell 2010 Prelude, the web
// platform's globals, the API pages of Ruby on Rails, RSpec, Minitest and GoogleTest.
var foreign = map[string]words{
	"c":          cForeign,
	"cpp":        cForeign,
	"java":       javaForeign,
	"kotlin":     javaForeign,
	"scala":      javaForeign,
	"ruby":       rubyForeign,
	"haskell":    haskellForeign,
	"javascript": scriptForeign,
	"typescript": scriptForeign,
	"tsx":        scriptForeign,
	"python":     wordsOf(`super type cls __class__ aiter anext breakpoint compile delattr eval exec issubclass locals object ConnectionError TimeoutError`),
	"go":         wordsOf(`min max clear`),
	"php":        wordsOf(`Attribute Socket CurlHandle`),
}

var (
	cForeign = wordsOf(`static_cast reinterpret_cast const_cast dynamic_cast typeid alignof decltype assert abort exit atexit malloc calloc realloc free memcpy
		memmove memset memcmp memchr strlen strcpy strncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr strstr strtok strdup strerror
		strspn strcspn strpbrk strtol strtoul strtoll strtoull strtod atoi atol atof printf fprintf sprintf snprintf vsnprintf vfprintf puts fputs fputc putc
		fgets getc fopen fclose fread fwrite fseek ftell fflush perror scanf sscanf qsort bsearch rand srand time clock localtime gmtime mktime strftime
		isalpha isdigit isalnum isspace isupper islower tolower toupper open close read write lseek stat fstat lstat unlink mkdir rmdir rename getenv setenv
		fork waitpid kill pipe dup dup2 select poll socket bind listen accept connect send recv sendto recvfrom setsockopt getsockopt getaddrinfo freeaddrinfo
		htons htonl ntohs ntohl inet_ntop inet_pton signal sigaction usleep sleep nanosleep gettimeofday clock_gettime getpid fcntl ioctl mmap munmap
		timeval timespec tm sockaddr sockaddr_in sockaddr_in6 sockaddr_storage addrinfo pollfd iovec FILE DIR pid_t uid_t gid_t mode_t socklen_t sigset_t
		pthread_* va_start va_end va_copy va_arg offsetof errno DWORD WORD BYTE BOOL HANDLE LPSTR LPCSTR LPWSTR WCHAR TCHAR ULONG LONG UINT SOCKET LARGE_INTEGER
		GetLastError SetLastError CloseHandle PyObject PyTypeObject PyMethodDef Py_* numeric_limits enable_if is_same conditional string_view
		EXPECT_* ASSERT_* TYPED_TEST* INSTANTIATE_TEST* INSTANTIATE_TYPED* GTEST_* MOCK_* ON_CALL SCOPED_TRACE BENCHMARK BENCHMARK_* TypeParam TEST TEST_F
		TEST_P ADD_FAILURE FAIL SUCCEED FRIEND_TEST`)
	javaForeign = wordsOf(`super this Appendable Readable Process ProcessBuilder Runtime StackTraceElement StrictMath ThreadGroup ThreadLocal InheritableThreadLocal Package
		Module SecurityManager IllegalAccessException NoSuchMethodException NoSuchFieldException InstantiationException ReflectiveOperationException
		SecurityException NegativeArraySizeException ArrayStoreException StringIndexOutOfBoundsException EnumConstantNotPresentException
		IllegalMonitorStateException TypeNotPresentException LinkageError StackOverflowError OutOfMemoryError VirtualMachineError NoClassDefFoundError
		NoSuchMethodError NoSuchFieldError ExceptionInInitializerError InternalError FunctionalInterface getClass notify notifyAll wait hashCode java javax org com`)
	scriptForeign = wordsOf(`super URL URLSearchParams Request Response Headers Event EventTarget CustomEvent MessageEvent AbortController AbortSignal FormData Blob
		File FileReader ReadableStream WritableStream TransformStream TextEncoder TextDecoder XMLHttpRequest WebSocket DOMParser MutationObserver
		IntersectionObserver Image HTMLElement Element Node Document Window Buffer PropertyKey PropertyDescriptor NoInfer ThisType Capitalize Uncapitalize
		Lowercase Uppercase AsyncIterableIterator IterableIterator atob btoa fetch alert confirm getComputedStyle requestAnimationFrame structuredClone
		performance crypto jQuery describe it test expect beforeEach afterEach beforeAll afterAll vi jest assert`)
	rubyForeign = wordsOf(`class method new super then tap dup clone extend freeze itself ruby2_keywords instance_eval class_eval module_eval const_get Encoding URI Tempfile ERB
		Mutex Thread Queue CGI Digest JSON YAML Date DateTime BigDecimal Set Pathname FileUtils StringIO SecureRandom Timeout Logger OpenSSL Net Zlib Base64
		Benchmark OpenStruct Ostruct Open3 Socket IPAddr Psych Marshal ObjectSpace GC Signal Data Random Fiber Enumerator Rational Complex MatchData
		EOFError LoadError RangeError RegexpError SecurityError SystemExit ScriptError SyntaxError ZeroDivisionError FrozenError FloatDomainError
		Gem Bundler Rails ActiveRecord ActiveSupport ActiveModel ActiveJob ActiveStorage ActionController ActionMailer ActionView ActionDispatch ActionCable ActionText
		Rack Rake RSpec Minitest FactoryBot Capybara I18n Nokogiri Sidekiq Redis Devise
		params session cookies request response headers flash render redirect_to redirect_back head respond_to respond_with send_data send_file url_for
		helper_method layout rescue_from content_tag link_to button_to form_for form_with label_tag text_field_tag hidden_field_tag image_tag tag
		content_for raw safe_join concat capture number_to_human_size time_ago_in_words truncate pluralize t l
		create_table drop_table add_column remove_column rename_column change_column change_column_null change_column_default change_table add_index
		remove_index add_foreign_key remove_foreign_key add_reference remove_reference rename_table execute reversible up_only enable_extension
		where find find_by order limit joins includes pluck select group transaction save save! update update! destroy destroy! create create! errors
		attributes reload class_attribute mattr_accessor cattr_accessor delegate alias_attribute serialize enum task namespace desc gem source mail
		deliver_later perform_later set_table_name`)
	haskellForeign = wordsOf(`Int Integer Char Bool Double Float Word String Maybe Either IO Ordering Text ByteString Map Set Vector Seq HashMap NonEmpty FilePath Monad Functor
		Applicative Monoid Semigroup Foldable Traversable Show Read Eq Ord Enum Bounded Num Typeable Generic Data IsString Just Nothing Left Right True False
		LT EQ GT Int8 Int16 Int32 Int64 Word8 Word16 Word32 Word64 Exception IORef MonadIO MonadError MonadState StateT ReaderT ExceptT WriterT State
		Reader Writer Identity Proxy Type Constraint Rational Scientific UTCTime Day`)
)

// Foreign reports whether a reference names no declaration of the workspace, as far as the
// language tells: a local name, a word of a library that every file sees, or a name in a place
// where only libraries' names stand. The file does not declare the name.
func (o *Outline) Foreign(r *Ref) bool {
	if w := foreign[o.Language]; w[r.Name] || w.covers(r.Name) {
		return true
	}
	plain := r.Receiver == ""
	capital := r.Name != "" && r.Name[0] >= 'A' && r.Name[0] <= 'Z'
	switch o.Language {
	case "ruby": // tests are written in the words of their framework
		return plain && !capital && o.Test && r.Kind == record.EdgeCalls
	case "php": // functions are those of PHP, unless they are imported; `\Foo` is a class of PHP
		return plain && (r.Kind == record.EdgeCalls || r.Span.Start > 0 && o.Content[r.Span.Start-1] == '\\')
	case "haskell": // arguments have no declaration
		return !capital
	}
	return false
}

// covers reports whether the words have a start of a name, in the form "EXPECT_*".
func (w words) covers(name string) bool {
	for i := range len(name) {
		if name[i] == '_' && w[name[:i+1]+"*"] {
			return true
		}
	}
	return false
}
