package redact_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ambit/indexer/redact"
)

// shape is one way in which a secret, or what looks like one, stands in a file. The
// value stands at %s.
type shape struct {
	path, text string
	value      func(r *rand.Rand) string
}

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
	base62    = lowerCase + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
)

// chars returns a maker of n random characters of an alphabet.
func chars(n int, alphabet string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
}

func prefixed(prefix string, value func(r *rand.Rand) string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return prefix + value(r) }
}

func hexOf(n int) func(r *rand.Rand) string { return chars(n, "0123456789abcdef") }

// password makes what people choose: words with digits and marks.
func password(r *rand.Rand) string {
	words := []string{"Winter", "Tiger", "blue", "Falcon", "river", "Orbit", "maple", "Zebra", "copper", "Lunar"}
	marks := []string{"!", "#", "_", "@", "-", "?", "*", ""}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	return pick(words) + pick(marks) + pick(words) + fmt.Sprint(10+r.IntN(9990)) + pick(marks)
}

// generated makes what a password manager makes.
func generated(r *rand.Rand) string {
	return chars(1, base62)(r) + chars(18, base62+"!@%^*_-+=?")(r) + chars(1, digits)(r)
}

func basic(r *rand.Rand) string {
	return base64.StdEncoding.EncodeToString([]byte("deploy:" + generated(r)))
}

func base64Of(n int) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte(chars(n, base62)(r)))
	}
}

var secretShapes = []shape{
	{"config/database.yml", "production:\n  username: app\n  password: %s\n", password},
	{"values.yaml", "redis:\n  auth:\n    password: \"%s\"\n", generated},
	{"application.properties", "spring.datasource.username=app\nspring.datasource.password=%s\n", generated},
	{"docker-compose.yml", "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: %s\n", password},
	{"compose.yaml", "    environment:\n      - MYSQL_ROOT_PASSWORD=%s\n", generated},
	{"prod.tfvars", "db_password = \"%s\"\nregion = \"eu-west-1\"\n", generated},
	{"main.tf", "variable \"db_password\" {\n  type    = string\n  default = \"%s\"\n}\n", generated},
	{"wp-config.php", "define( 'DB_PASSWORD', '%s' );\n", generated},
	{"wp-config.php", "define('AUTH_KEY',         '%s');\n", chars(64, base62+"!@#%^&*()-_[]{}<>~+=,.;:/?|")},
	{"settings.py", "DATABASES = {'default': {'USER': 'app', 'PASSWORD': '%s'}}\n", password},
	{"settings.py", "SECRET_KEY = 'django-insecure-%s'\n", chars(50, lowerCase+digits+"!@#%^&*(-_=+)")},
	{"settings.xml", "<server><id>releases</id><username>ci</username><password>%s</password></server>\n", generated},
	{"web.config", "<add key=\"SmtpPassword\" value=\"%s\" />\n", password},
	{"persistence.xml", "<property name=\"javax.persistence.jdbc.password\" value=\"%s\"/>\n", password},
	{"App.java", "String url = \"jdbc:postgresql://db.internal/app?user=app&password=%s&ssl=true\";\n", generated},
	{"app.js", "const client = createClient({ url: 'redis://:%s@cache.internal:6379' });\n", chars(24, base62)},
	{"appsettings.json", "{\"ConnectionStrings\": {\"Default\": \"Server=db;Database=app;User Id=sa;Password=%s;\"}}\n", generated},
	{"deploy.sh", "curl -u deploy:%s https://api.internal/v1/deploy\n", generated},
	{"README.md", "    curl -H \"Authorization: Bearer %s\" https://api.internal/\n", chars(40, base62)},
	{"client.py", "headers = {\"Authorization\": \"Basic %s\"}\n", basic},
	{"upload.ps1", "$uri = 'https://acct.blob.core.windows.net/c?sv=2022-11-02&se=2030-01-01&sr=c&sp=rl&sig=%s'\n", func(r *rand.Rand) string { return strings.TrimSuffix(base64Of(32)(r), "=") + "%3D" }},
	{"notify.rb", "URL = \"https://discord.com/api/webhooks/123456789012345678/%s\"\n", chars(68, base62+"-_")},
	{"bot.py", "bot = telegram.Bot('%s')\n", func(r *rand.Rand) string { return chars(10, "123456789")(r) + ":AA" + chars(33, base62)(r) }},
	{"train.py", "login('%s')\n", prefixed("hf_", chars(34, base62[:52]))},
	{"news.py", "client = Client('%s')\n", func(r *rand.Rand) string { return hexOf(32)(r) + "-us19" }},
	{"agent.yml", "license_key: %s\n", func(r *rand.Rand) string { return hexOf(36)(r) + "NRAL" }},
	{"main.go", "err := sentry.Init(sentry.ClientOptions{Dsn: \"https://%s@o1234.ingest.sentry.io/5678\"})\n", hexOf(32)},
	{"slack.go", "const hook = \"https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/%s\"\n", chars(24, base62)},
	{".terraformrc", "credentials \"app.terraform.io\" {\n  token = \"%s\"\n}\n", func(r *rand.Rand) string { return chars(14, base62)(r) + ".atlasv1." + chars(64, base62)(r) }},
	{"vault.sh", "export VAULT_TOKEN=%s\n", prefixed("s.", chars(24, base62))},
	{".npmrc", "//registry.internal/:_authToken=%s\n", func(r *rand.Rand) string {
		return hexOf(8)(r) + "-" + hexOf(4)(r) + "-4" + hexOf(3)(r) + "-a" + hexOf(3)(r) + "-" + hexOf(12)(r)
	}},
	{"cluster.yaml", "users:\n- name: admin\n  user:\n    client-key-data: %s\n", base64Of(120)},
	{"dockercfg.json", "{\"auths\": {\"registry.internal\": {\"auth\": \"%s\"}}}\n", basic},
	{"config.rb", "config.secret_key_base = '%s'\n", hexOf(128)},
	{"session.js", "app.use(session({ secret: '%s' }))\n", chars(32, base62)},
	{"secret.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  db: %s\n", base64Of(18)},
	{"Dockerfile", "ENV API_TOKEN %s\n", chars(32, base62)},
	{".env", "STRIPE_KEY=%s\nDEBUG=1\n", prefixed("sk_live_", chars(24, base62))},
	{"aws.tf", "provider \"aws\" {\n  secret_key = \"%s\"\n}\n", chars(40, base62+"+/")},
	{"notebook.ipynb", "{\"source\": [\"api_key = \\\"%s\\\"\\n\"]}\n", chars(32, base62)},
	{"Client.cs", "private const string ApiKey = \"%s\";\n", chars(32, base62)},
	{"client.ts", "const password: string = process.env.PW || \"%s\"\n", password},
	{"init.sql", "CREATE USER app WITH PASSWORD '%s';\n", generated},
	{"run.sh", "mysqldump --user=root --password=%s app > dump.sql\n", generated},
	{"task.json", "{\"environment\": [{\"name\": \"DB_PASSWORD\", \"value\": \"%s\"}]}\n", generated},
	{"deployment.yaml", "env:\n  - name: API_TOKEN\n    value: %s\n", chars(40, base62)},
}

func init() {
	secretShapes = append(secretShapes, []shape{
		{"config.go", "cfg := Config{User: \"app\", Password: \"%s\"}\n", password},
		{"config.h", "#define API_KEY \"%s\"\n", chars(32, base62)},
		{"Api.kt", "private val apiKey = \"%s\"\n", hexOf(32)},
		{"Api.swift", "let clientSecret: String = \"%s\"\n", chars(40, base62)},
		{"main.rs", "let token = String::from(\"%s\");\n", chars(40, base62)},
		{"prod.exs", "config :app, App.Endpoint, secret_key_base: \"%s\"\n", chars(64, base62+"/+")},
		{"db.pl", "my $password = '%s';\n", password},
		{"my.cnf", "[client]\nuser = app\npassword = %s\n", generated},
		{".netrc", "machine api.internal login app password %s\n", generated},
		{"inventory.ini", "web1 ansible_user=deploy ansible_ssh_pass=%s\n", password},
		{"app.service", "[Service]\nEnvironment=\"DB_PASSWORD=%s\"\n", generated},
		{"build.gradle", "    storePassword '%s'\n", password},
		{"strings.xml", "<string name=\"api_key\">%s</string>\n", chars(32, base62)},
		{"Info.plist", "<key>APIKey</key>\n<string>%s</string>\n", chars(32, base62)},
		{"Db.java", "props.put(\"password\", \"%s\");\n", password},
		{"split.py", "api_key = 'k7' + '%s'\n", chars(30, base62)},
		{"split.js", "const secret = \"a9Xq\" +\n  \"%s\";\n", chars(30, base62)},
		{"sync.sh", "sshpass -p '%s' rsync -a . host:\n", generated},
		{"api.rb", "get(\"https://api.internal/v1?access_token=%s\")\n", chars(40, base62)},
		{"redis.conf", "requirepass %s\n", generated},
		{"ldap.yml", "bindpw: %s\n", generated},
		{"sms.env", "TWILIO_AUTH_TOKEN=%s\n", hexOf(32)},
		{"Procfile.env", "HEROKU_API_KEY=%s\n", uuid},
		{"bot.js", "client.login(\"%s\")\n", func(r *rand.Rand) string {
			return "M" + chars(25, base62)(r) + "." + chars(6, base62)(r) + "." + chars(38, base62+"-_")(r)
		}},
		{"figma.ts", "const client = figma(\"%s\")\n", prefixed("figd_", chars(40, base62+"-_"))},
		{"push.php", "$key = 'AAAA%s';\n", func(r *rand.Rand) string { return chars(7, base62)(r) + ":APA91b" + chars(134, base62+"-_")(r) }},
		{"credentials", "[default]\naws_access_key_id = AKIAQ7XC2LMZ9VKTR4SW\naws_secret_access_key = %s\n", chars(40, base62+"+/")},
		{"conn.cs", "var c = \"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=%s\";\n", base64Of(32)},
		{"sa.json", "{\"type\": \"service_account\", \"private_key_id\": \"%s\"}\n", hexOf(40)},
		{"login.sh", "docker login -u ci -p %s registry.internal\n", generated},
		{"okta.yml", "okta:\n  client:\n    clientSecret: %s\n", chars(40, base62+"-_")},
		{"test.http", "X-Api-Key: %s\n", chars(40, base62)},
		{"call.ts", "fetch(url, { headers: { 'x-api-key': '%s' } })\n", chars(40, base62)},
		{"git.go", "req.Header.Set(\"Authorization\", \"token %s\")\n", hexOf(40)},
		{"block.yaml", "apiToken: |\n  %s\nother: x\n", chars(60, base62)},
		{"ci.yml", "      env:\n        SONAR_TOKEN: %s\n", hexOf(40)},
		{"jenkins.xml", "<apiToken>%s</apiToken>\n", hexOf(34)},
		{"db.ts", "export const db = { host: 'db', user: 'app', password: '%s' }\n", password},
	}...)
}

// words are three words of code, joined.
func words(join string) func(r *rand.Rand) string {
	list := []string{"user", "session", "account", "refresh", "login", "reset", "field", "form", "email", "confirm", "label", "store"}
	return func(r *rand.Rand) string {
		return list[r.IntN(len(list))] + join + list[r.IntN(len(list))] + join + list[r.IntN(len(list))]
	}
}

func oneOf(list ...string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return list[r.IntN(len(list))] }
}

func uuid(r *rand.Rand) string {
	return hexOf(8)(r) + "-" + hexOf(4)(r) + "-4" + hexOf(3)(r) + "-a" + hexOf(3)(r) + "-" + hexOf(12)(r)
}

var lookAlikes = []shape{
	{"go.sum", "github.com/a/b v1.2.3 h1:%s=\n", chars(43, base62)},
	{"package-lock.json", "\"integrity\": \"sha512-%s==\"\n", chars(86, base62+"+/")},
	{"Cargo.lock", "checksum = \"%s\"\n", hexOf(64)},
	{"poetry.lock", "{file = \"a.whl\", hash = \"sha256:%s\"},\n", hexOf(64)},
	{"ci.yml", "- uses: actions/checkout@%s # v4\n", hexOf(40)},
	{"model.py", "id = uuid.UUID(\"%s\")\n", uuid},
	{"fixture.json", "{\"token_id\": \"%s\"}\n", uuid},
	{"sha_test.go", "want: \"%s\",\n", hexOf(64)},
	{"hmac_test.go", "sharedSecret: \"%s\",\n", hexOf(64)},
	{"vectors.json", "{\"key\": \"%s\", \"iv\": \"000102030405060708090a0b0c0d0e0f\"}\n", hexOf(64)},
	{".env.example", "API_TOKEN=%s\n", oneOf("your-api-token-here", "changeme", "<token>", "xxxxxxxxxxxxxxxx", "replace-me", "TODO", "example-token-123")},
	{"compose.yaml", "      POSTGRES_PASSWORD: %s\n", oneOf("${DB_PASSWORD}", "changeme", "password", "postgres", "example", "secret")},
	{"values.yaml", "  password: %s\n", oneOf("\"\"", "null", "~", "{{ .Values.password }}", "$(PASSWORD)", "!vault |", "<redacted>")},
	{"main.tf", "  password = %s\n", oneOf("var.db_password", "random_password.db.result", "data.vault.secret[\"x1\"]", "module.db2.password", "local.creds.p4ss")},
	{"login.ts", "const passwordField = '%s'\n", words("-")},
	{"auth.go", "token := strings.TrimPrefix(%s, \"Bearer \")\n", words(".")},
	{"lexer.go", "{Token: \"%s\", Pos: 12},\n", words("_")},
	{"en.yml", "    password: %s\n", oneOf("Password", "Enter your password", "Your new password", "Reset it", "Passwort", "Mot de passe")},
	{"parser.py", "token = self.%s(2)\n", words("_")},
	{"view.html", "<input type=\"password\" name=\"%s\" id=\"password1\">\n", words("_")},
	{"urls.py", "path('reset/<uidb64>/<token>/', views.%s, name='password_reset_confirm2')\n", words("_")},
	{"schema.sql", "password_hash varchar(%s) NOT NULL\n", oneOf("60", "128", "255")},
	{"style.css", "background: url(data:image/png;base64,%s);\n", chars(200, base62+"+/")},
	{"tokens.py", "eos_token = '%s'\n", oneOf("</s>", "<|endoftext|>", "[SEP]", "<eos>", "[PAD]")},
	{"release.md", "commit %s fixes the token refresh\n", hexOf(40)},
	{"cache.yml", "key: v1-deps-{{ checksum \"%s.lock\" }}\n", words("-")},
	{"pub.go", "const publicKey = \"%s\"\n", chars(64, base62)},
	{"i18n.json", "{\"invalid_token\": \"%s\"}\n", oneOf("The token is not valid.", "Token expired 5 minutes ago", "Try again in 30s")},
	{"test_auth.py", "client.login(password=%s)\n", oneOf("settings.PASSWORD", "'password'", "'secret'", "make_password()", "'wrong'", "user2.password")},
	{"version.go", "const tokenVersion = \"%s\"\n", oneOf("v1.22.3", "2024-01-02", "1.0.0-rc1", "v2beta1")},
}

// TestTheCorpus counts the secrets that are masked and the look-alikes that are not, of
// forty and more shapes with eight values each.
func TestTheCorpus(t *testing.T) {
	const values = 10
	r := rand.New(rand.NewPCG(14, 5))
	shown, secrets := 0, 0
	for _, s := range secretShapes {
		for range values {
			secrets++
			value := s.value(r)
			text := fmt.Appendf(nil, s.text, value)
			if masked, _ := redact.Mask(s.path, text); bytes.Contains(masked, []byte(tail(value))) {
				shown++
				t.Logf("shown in %s: %s", s.path, text)
			}
		}
	}
	masked, alike := 0, 0
	for _, s := range lookAlikes {
		for range values {
			alike++
			text := fmt.Appendf(nil, s.text, s.value(r))
			if got, found := redact.Mask(s.path, text); found != nil {
				masked++
				t.Logf("masked by %s in %s: %s-> %s", found[0].Rule, s.path, text, got)
			}
		}
	}
	if shown*100 > secrets*2 {
		t.Errorf("%d of %d secrets of %d shapes are shown, want at most 2 %%", shown, secrets, len(secretShapes))
	}
	if masked*100 > alike*2 {
		t.Errorf("%d of %d look-alikes are masked, want at most 2 %%", masked, alike)
	}
}

// tail is the part of a value that must not be seen: its last characters.
func tail(value string) string { return value[len(value)*2/3:] }
