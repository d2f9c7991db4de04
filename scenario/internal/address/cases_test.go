package address

import (
	"strings"
	"testing"
)

// unmark takes the marks « » off a text and returns the ranges that they stood
// around.
func unmark(t *testing.T, marked string) (text string, spans [][2]int) {
	t.Helper()
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(marked, "«")
		b.WriteString(before)
		if !ok {
			return b.String(), spans
		}
		inside, after, ok := strings.Cut(rest, "»")
		if !ok {
			t.Fatalf("%q: a mark is not closed", marked)
		}
		spans = append(spans, [2]int{b.Len(), b.Len() + len(inside)})
		b.WriteString(inside)
		marked = after
	}
}

// check holds Find to the marks of each text; without marks nothing may be found.
func check(t *testing.T, where Where, texts []string) {
	t.Helper()
	for _, marked := range texts {
		text, spans := unmark(t, marked)
		got := Find(text, where)
		ok := len(got) == len(spans)
		for i := 0; ok && i < len(got); i++ {
			ok = got[i].Start == spans[i][0] && got[i].End == spans[i][1]
		}
		if !ok {
			t.Errorf("%q:", marked)
			for _, m := range got {
				t.Errorf("    found %s %q at %d to %d", m.Kind, text[m.Start:m.End], m.Start, m.End)
			}
		}
	}
}

func TestURLs(t *testing.T) {
	check(t, Text, []string{
		"«http://example.com»",
		"«https://api.example.com:8443/v2/pets?limit=5&x=a,b#top»",
		"see «https://api.example.com/v1», then wait",
		"see «https://api.example.com/v1».",
		"(«https://api.example.com/v1»)",
		"(see «https://en.example.org/wiki/Pet_(animal)»)",
		"[docs](«https://example.com/docs»)",
		"<«https://example.com»>",
		"\"«https://example.com/a»\" and '«http://b.example/c»'",
		"`«wss://example.com/socket»`",
		"url=«https://example.com»; next",
		"«HTTPS://API.EXAMPLE.COM/»",
		"«hTtP://eXample.com»",
		"«ftp://files/x» and «sftp://files/y»",
		"«postgres://app:secret@db:5432/app?sslmode=disable»",
		"«jdbc:postgresql://db.example.com/app»",
		"«jdbc:sqlserver://db:1433;databaseName=x»",
		"«mongodb+srv://user:pw@cluster0.example.net/db»",
		"«amqp://guest:guest@mq:5672/%2f»",
		"«kafka://broker-1:9092»",
		"«git+ssh://git@github.com/acme/pets.git»",
		"«unix:///run/engine.sock»",
		"«unix:/run/engine»",
		"«dns:///engine.prod»",
		"«dns:engine.prod:9000»",
		"«mailto:ops@example.com»",
		"«mailto:oncall»", "«unix-abstract:engine»", "«unix:@engine»", "«xds:engine»", "«vsock:3:1024»", "«LDAPS:directory»",
		"«http:\\\\api.example.com\\x»",
		"«https:/api/pets»",
		"«file:///etc/hosts»",
		"«data-service://x»",
		"the «http://» prefix",
		"«://example.com»",
		"«http://[::1]:8080/x»",
		"«http://10.0.0.1/x»",
		"«http://2130706433/»",
		"«http://127.1:80»",
		"«https://münchen.example/straße»",
		"接続先は«https://api.example.com/v1»です",
		"接続先は「«https://api.example.com/v1»」です",
		"（«https://api.example.com»）",
		"请访问«https://example.com/a»，然后等待",
		"두 번째 «http://example.com/x»입니다",
		"«https://例え.jp/パス» を見る",
		"до «http://пример.рф/путь» после",
		"«ｈｔｔｐ：／／example.com»",
		"«http:⁄⁄example.com»",
		"«http∶//example.com»",
		"«h\u00adttp://exa\u200bmple.com/a»",
		"first «http://a.example/1» then «http://b.example/2», «http://c.example/3».",
		"«http://a.example/1»\n«http://b.example/2»",
		"«http://user:pa»'«ss@host»/",
	})
	check(t, Text, []string{
		"https only", "http or https", "HTTP 2", "ratio a:b", "TCP: yes", "grpc: on", "http: 200", "dns:slow",
		"http:200", "https:only", "ssh:no", "unix: the system", "scheme: http", "file: main.go", "file:main", "C:/temp/x",
		"D:\\data\\pets", "std::vector<int>", "Foo::Bar", "a::b::c", "crate::pets::list", "git: merged", "s3: slow",
		"mailto: a person", "xds: off", "unix: @alice", "kafka:3.7", "redis:7.2-alpine", "postgres:16.2", "nats:2", "docker:24", "sip: none",
	})
}

func TestSlashes(t *testing.T) {
	check(t, Text, []string{
		"«//example.com»", "load «//cdn.example.com/lib.js» first", "(«//server/share»)", "\"«//engine:9000/x»\"", "«//[::1]/x»",
		`«\\server\share»`, `on «\\files-01\pets\data.csv» now`, `«\\fs.example.com\x»`, `«\\.\pipe\docker_engine»`, `«\\10.0.0.1\c$»`,
		"see «//engine»",
	})
	check(t, Text, []string{
		"// a comment", "//TODO later", "//nolint", "//go:build linux", "a // b", "either//or", "////", "///", `\\d+`, `a\\b\\c`, `C:\\temp`,
		`\\n`, "and/or", "http/2", "/pets/{id}", "GET /v1/pets", "///etc", `\d{3}\w+`, "1//2",
	})
}

func TestUserInfo(t *testing.T) {
	check(t, Text, []string{
		"«ops@example.com»", "ask «ops@example.com» first", "ask «ops@example.com».", "<«ops@example.com»>", "Ops Team («ops+pets@example.co.uk»)",
		"«OPS@EXAMPLE.COM»", "«user:secret@cache»", "«user:secret@cache:6379»", "«root@10.0.0.1»", "«root@engine»", "«deploy@engine:22»", "«git@github.com»:acme/pets.git",
		"«user@[::1]»:22", "«jürgen@müller.de»", "«a@b.example», «c@d.example»", "担当は«ops@example.com»です", "«user＠example.com»",
		"«ops [at] example [dot] com»", "«ops(at)example(dot)com»", "«ops%40example.com»", "mail=«ops@example.com»;",
		"«admin:p@ss@db.example.com»", "«ops@pets.internal»", "«first.last@pets»",
	})
	check(t, Text, []string{
		"@payments-team", "owner: @payments-team", "owner:@payments-team", "cc @a @b", "actions/checkout@v4", "pkg@v1.2.3", "node@20", "react@18.2.0",
		"foo@latest", "image@sha256", "@", "a @ b", "p99@50rps", "50rps@p99", "load@2x", "@Override", "@pytest.mark", "e@", "@1m", "100@5m", "engine@main", "acme/x@main",
		"50 @ 400 ms", "(@team)", "@org/team",
	})
}

func TestIPv6(t *testing.T) {
	check(t, Text, []string{
		"«::1»", "on «::1» only", "on «::1», then", "at «2001:db8::1».", "at «fe80::1»: slow", "«fe80::1%eth0»", "via «fe80::1%en0».", "«[fe80::1%25eth0]»:80",
		"«::ffff:192.0.2.1»", "«::ffff:c000:201»", "«64:ff9b::192.0.2.33»", "«2001:DB8:0:0:8:800:200C:417A»", "«2001:0db8:0000:0000:0000:0000:0000:0001»",
		"«2001:db8::»/32", "«[2001:db8::1]»", "«[::]»:8080", "(«::1»)", "\"«::1»\"", "addr=«fe80::1»", "addr:«fe80::1»", "host:«::1»", "[«::1», «::2»]", "«fd00::a»,«fd00::b»",
		"接続先は«2001:db8::1»です", "«2001：db8：：1»", "«2001%3Adb8%3A%3A1»", "«2001:db8[:]:1»", "«fe80::»", "«fd12:3456:789a:1::1»/64", "IPv6:«2001:db8::5»",
	})
	check(t, Text, []string{
		"12:30", "12:30:45", "00:05:00", "1:2:3", "a::b", "dead::beef", "::", "use :: here", "std::abs", "foo::bar", "::error::", "1:1024", "3:10:1", "10:30:00-11:00:00",
		"a:b:c:d:e:f", "2026-03-01T10:30:00Z", "2026-03-01T10:30:00+02:00", ":::", "face::off", "x::1y", "cafe:", "Foo::Bar2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "sha256:ab:cd",
	})
}

func TestHardware(t *testing.T) {
	check(t, Text, []string{
		"«00:1a:2b:3c:4d:5e»", "mac «00-1A-2B-3C-4D-5E».", "«001a.2b3c.4d5e»", "(«00:1A:2B:3C:4D:5E»)", "«02:00:5e:10:00:00:00:01»", "eth0=«aa:bb:cc:dd:ee:ff»",
	})
	check(t, Text, []string{
		"00:1a:2b:3c:4d", "00:1a:2b:3c:4d:5e:6f", "2024.0101.1200", "2026-03-01", "01-02-03", "0000-1111-2222", "550e8400-e29b-41d4-a716-446655440000", "10.30.45",
	})
}

func TestIPv4(t *testing.T) {
	check(t, Text, []string{
		"«10.0.0.1»", "on «10.0.0.1», then", "at «10.0.0.1».", "(«10.0.0.1»)", "[«10.0.0.1»]", "'«10.0.0.1»'", "«10.0.0.1»:8080", "«10.0.0.1»/24", "«10.0.0.0»/8", "«10.0.0.1»/health?x=1",
		"host=«10.0.0.1»;", "ip:«10.0.0.1»", "«10.0.0.1»-«10.0.0.20»", "«10.0.0.1»,«10.0.0.2» «10.0.0.3»", "«0300.0250.0.1»", "«0xc0.0xa8.0.1»", "«0xC0.168.1»", "«0xc0a80001»", "«0X7F.0.0.1»",
		"«0177.1»", "«0x7f.1»", "«192.168.257»:80", "«127.1»:8080", "«127.1»", "«127.0.1»", "«2130706433»:80", "«030052000001»", "«255.255.255.255»", "«1.1.1.1»", "«8.8.8.8» is slow",
		"接続先は«10.0.0.1»です", "«１０.０.０.１»", "«10。0。0。1»", "«10[.]0[.]0[.]1»", "«10(dot)0(dot)0(dot)1»", "«10%2e0%2e0%2e1»", "«①②⑦.⓪.⓪.①»", "«10․0․0․1»", "«127.0.0.1»\n", "-«10.0.0.1»",
		"«0x7f000001»:80", "«192.168.010.001»", "«10.0.0.1»;", "«10.0.0.1»!", "«10.0.0.1»…", "under «10.0.0.1»'s load", "http-«10.0.0.1»", "«10.0.0.1» v1.2.3.4",
		"«1.2.3.4»_x", "moved.«10.0.0.1»", "«00000177.0.0.1»",
	})
	check(t, Text, []string{
		"v1.2.3.4", "1.2.3", "1.26.8", "RFC 0040.5", "rfc 0040.14.2", "RFC-0140.5", "0040.5", "ADR 0123.1", "go1.26.8.1", "1.2.3.4.5", "1.2.3.456", "300.1.2.3", "120.0.6099.109", "3.10", "0.05", "99.95%", "2026.03.01", "01.03.2026", "1.3.2026", "1.2.3-rc.1",
		"1.2.3.4-rc.1", "tool-1.2.3.4.tar.gz", "0x1f", "0xff", "0777", "0644", "2147483647", "4294967295", "1735689600", "0x", "007", "24.04", "$1.50", "1.000.000", "10.5 of 20.5",
		"127.1 ms", "127.0.1 is the version", "ver1.2.3.4", "1.5:1", "PETS-017700000001", "#0x7f000001", "256.256.256.256", "1..2..3..4", "1.2.3.x", "10.x.x.x", "12.5.2026", "007.5 s",
		"1.2.3.4ms", "0.0.1", "3.1.0", "2.0.1-rc.1", "1.0.0+build.5", "0.5", "5.", ".5",
	})
}

func TestPorts(t *testing.T) {
	check(t, Text, []string{
		"«engine:9000»", "on «engine:9000», then", "on «engine:9000».", "(«engine:9000»)", "«engine:9000»/health", "«engine-3:9443»", "«redis:6379»", "«postgres:5432»", "«kafka:9092»,«kafka2:9093»",
		"«cache:443»", "«mail:25»", "«db_1:3306»", "«ENGINE:8080»", "host=«engine:9000»", "«localhost:3000»", "«max:2000»", "接続先は«engine:9000»です", "«engine：9000»", "«engine[:]9000»", "«engine%3A9000»",
		"tcp/«engine:9000»", "«größe:2000»", "«engine:65535»", "\"«engine:9000»\"", "«engine:9000»-9010", "«api:80»",
	})
	check(t, Text, []string{
		"max: 2000", "engine: 9000", "12:30", "1:1024", "16:9", "redis:7", "postgres:16", "sha256:12345", "md5:1024", "engine:65536", "engine:123456", "engine:0", "engine:09000", "engine:9000ms", "golang:1.26",
		"T10:30", "2026-03-01T10:30", "2026-03-01T10:22", "a:1", "x:80", "weight:80", "p99:80", "line 12:34", "main.go:42", "main.go:1234", "main.go:12:34", "src/main.rs:1234:5", "lib.rs:42",
		":8080", "listens on :8080", "{id}:8080", "端口:8080", "ubuntu:22.04", "node:20-alpine", "engine:v2", "a:b", "key:value", "engine:abc", "at 10:30h",
	})
}

func TestHosts(t *testing.T) {
	check(t, Text, []string{
		"«localhost»", "«LOCALHOST» too", "on «localhost».", "(«localhost»)", "«localhost»/x", "«Localhost»'s", "not «ip6-loopback»", "«localhost.localdomain»", "«app.localhost»", "接続先は«localhost»です", "«ｌｏｃａｌｈｏｓｔ»",
		"«ip-10-0-0-1»", "on «ip-10-0-0-1» today", "«ip-10-0-0-1.ec2.internal»", "«IP-172-31-0-5»", "«xn--bcher-kva»", "«XN--BCHER-KVA.example»", "«www.pets»", "«WWW.PETS.ZZ»", "see «www.pets.zz», ok",
		"«engine.prod.svc»", "«engine.prod.svc.cluster.local»", "on «engine-2.prod.internal».", "«metadata.google.internal»", "«host.docker.internal»", "«nas.lan»", "«wiki.corp»", "«wiki.intranet»", "«router.home.arpa»",
		"«PRINTER.LOCAL»", "«evil.test»", "«pets.example»", "«x.invalid»", "«kubernetes.default»", "«10-0-0-1.default.pod.cluster.local»", "«api.mesh»", "on «engine.service.consul».",
		"«_grpc._tcp.engine.service.consul»", "«engine.prod.svc»:9000", "«engine.prod.svc.cluster.local.»",
		"«exa\u200bmple.internal»",
	})
	check(t, Text, []string{
		"localhosts", "localhost-like", "local", "internal", "the internal api", "ip-10", "ip-300-1-1-1", "svc", "test", "example", "for example.", "settings.local.json", ".env.local", ".env.example", "config.toml.example",
		"done.Internal tools", "done.Local tests", "home.", "www", "www.", "xn--", "corp.", "a local.", "engine-staging", "zip-10-0-0-1", "ships-1-2-3-4",
	})
}

func TestHostNames(t *testing.T) {
	check(t, Text, []string{
		"«example.com»", "see «api.example.com», ok", "see «api.example.com».", "«api.example.com.»", "'«api.example.com.»'", "«api.example.com.» is slow", "(«api.example.com»)", "[«api.example.com»]", "{«api.example.com»}",
		"<«api.example.com»>", "\"«api.example.com»\"", "`«api.example.com»`", "“«api.example.com»”", "«api.example.com»!", "«api.example.com»?", "«api.example.com»;", "«api.example.com»:", "«api.example.com»…", "host:«api.example.com»",
		"host=«api.example.com»", "*.«example.com»", ".«example.com»", "-«api.example.com»-", "- «api.example.com»", "--host=«api.example.com»", "«API.EXAMPLE.COM»", "«Example.Com»", "«Example.com»", "«GitHub.com»", "«OpenAI.com»",
		"«api.example.com»:443", "«api.example.com»:443/x", "«api.example.com»/v1/pets", "«github.com»/acme/pets", "«ghcr.io»/acme/engine:1.2", "«k8s.io»/api", "«golang.org»/x/net", "«t.me»/pets", "«t.co»", "«x.com»",
		"«example.co.uk»", "«example.com.au»", "«foo.co.jp»", "«a.b.c.d.example.org»", "«pets.dev»", "«pets.app»", "«pets.io»", "«pets.cloud»", "«pets.shop»", "«acme.ai»", "«status.pets.us»", "«pets.me»", "«bit.ly»", "«pets.xyz»",
		"«shop.münchen.de»", "«münchen.de»", "«пример.рф»", "«日本語.jp»", "«例え.みんな»", "«bücher.example»", "«παράδειγμα.ευ»", "接続先は«api.example.com»です", "请看«api.example.com»。", "서버는 «api.example.com»입니다", "「«api.example.com»」",
		"（«api.example.com»）", "«api．example．com»", "«例え。jp»", "「«例え。com»」", "«api。example。com»", "«api｡example｡com»", "«api․example․com»", "«api‧example‧com»", "«ａｐｉ．ｅｘａｍｐｌｅ．ｃｏｍ»", "«exa\u00admple.com»", "\u200b«example.com»\u200b", "«exa\ufeffmple.com»", "«api\u2060.example.com»",
		"«api[.]example[.]com»", "«api{.}example{.}com»", "«api(.)example(.)com»", "«api [.] example [.] com»", "«api[dot]example[dot]com»", "«api [dot] example [dot] com»", "«api[DOT]example[DOT]com»", "«api<dot>example<dot>com»",
		"«example[.]com»", "a[.] [.]b", "[.] [.]", " [.]", "[.] [at] [.]", "was «staging[.]example[.]org», once", "«hxxp://example.com»", "«hxxps[:]//example[.]com/x»", "«hXXp[://]example.com»", "«api\\.example\\.com»", "«https:\\/\\/example.com\\/x»",
		"«api%2Eexample%2Ecom»", "«api%252Eexample%252Ecom»", "«api%25252Eexample%25252Ecom»", "«%61pi.example.com»", "«api%2eexample.com»/x", "«http%3A%2F%2Fapi»", "«http%3a//api»", "«user%3Apw%40api.example.com»", "«api%5B.%5Dexample.com»",
		"«api%E3%80%82example%E3%80%82com»", "«a.example» and «b.example», «c.example»", "«api.example.com»,«engine.example.com»", "«my_host.example.com»", "«_dmarc.example.com»", "«engine.prod»:9000", "«engine.prod»/health",
		"«acme.sh»/install", "«acme.sh»:8080", "«api.acme.sh»", "see «pets.dev» docs", "«ec2-1-2-3-4.compute-1.amazonaws.com»", "«bucket.s3.amazonaws.com»", "«163.com»", "https only on «pets.dev»", "/«api.example.com»/x",
		"«example.com»\t«example.org»\r\n«example.net»", "a «example.com» b «10.0.0.1» c «engine:9000» d «::1»", "e.g. «example.com»", "«foo.kawasaki.jp»", "«x.ck»", "«api.staging.example.com»'s p99",
	})
	check(t, Text, []string{
		"main.go", "README.md", "README.dev", "Makefile.in", "config.h.in", "Dockerfile.dev", "docs/README.md", "docker-compose.yml", "docker-compose.prod.yml", "order.proto", "foo.rs", "src/foo.rs", "script.sh", "./script.sh", "scripts/run.sh", "a.py", "b.pl", "main.cc", "rules.mk", "main.tf", "backup.zip",
		"demo.mov", "lib.test.py", "order.pb.rs", "install.test.sh", "src/api.prod.sh", "libc.so", "libfoo.so.1", "index.d.ts", "package.json", "go.mod", "Makefile", "pets.tar.gz", "release-1.2.3.zip", "main.go/main_test.go", "README.md/CONTRIBUTING.md",
		"Next.js", "Node.js", "Vue.js and D3.js", "Node.js/Express", "ASP.NET Core", ".NET 8", "C#/.NET", "VB.NET", "Json.NET", "Socket.IO", "Engine.IO", "java.net", "System.IO", "System.Net.Http", "foo.bar", "Three.js.",
		"warms up.It then holds", "fails.In production", "done.So what", "slow.No errors", "ready.To be sure", "Stop.It hurts", "holds.IT agrees", "end.The next", "end.then", "a.m.", "p.m.", "e.g.", "i.e.", "e.g.,", "i.e.it is", "U.S.", "U.S.A.", "Ph.D.",
		"etc.", "vs.", "No.5", "Fig.3", "approx.", "Dr. No", "St. John", "1.In short", "...", "wait...it", "wait…it", "a..b", ".", "..", "a.", ".a",
		"scenario.name", "load.rate", "load.operations[0].weight", "assertions.max_p99_ms", "objective.window", "targets.shop", "targets.shop.proxy", "timeline[0].at", "fault.type", "load.rate/load.duration", "objective.p99_ms",
		"storage.buckets.getIamPolicy", "time.Now", "fmt.Println", "os.Args", "asyncio.run()", "app.run()", "obj.isOpen", "PetService.list", "user.id", "order.id", "pet.owner.name", "telemetry.sdk.name", "trace.id", "service.name", "user.email", "orders.search", "max_rate.in",
		"com.acme.pets", "com.acme.shop", "io.grpc.health", "org.apache.kafka", "google.cloud.run.v2", "pets.v1.PetService/GetPet", "grpc.health.v1.Health/Check", "pets.v1", "pets.list", "pets.list/pets.get", "pets.get", "engine.staging",
		"v1.2", "v1.2/v1.3", "1.5/2", "p99.9", "p99.9/p95", "99.95 %", "3.10", "HTTP/1.1", "HTTP/1.1/2", "OpenAPI 3.1", "TLS 1.3", "€ 5.000", "$3.50/month", "1.5s", "2.5m", "10.000,5", "0.5ms", "Q1.2026", "KW12.2026",
		"日本語。これ", "使う。Go", "終わり。OK", "終わり。computerは", "orders.v1.search", "grpc.server.call", "otel.library.name", "k8s.pod.name", "arn:aws:s3:::bucket", "urn:uuid:123", "これはテストです。APIが遅い", "使う。It", "Überlast.", "größer.Dann", "col·lecció", "and/or", "I/O", "TCP/IP", "24/7", "req/s", "km/h", "w/o", "n/a", "s.o.", "z.B.", "d.h.", "u.a.", "5 p.m. and", "№ 5", "½",
		"100%de", "99.95%of", "50%25", "a%2Fb", "x[.]y", "list[.5]", "regex \\.", "(.)", "[dot]", "a (at) b", "f(x)", "[x]", "xx", "hxxp", "expected", "Latency < 400 ms [p99]", "see docs/reliability.md, std::vector, and/or, 24/7.",
	})
}

func TestOperations(t *testing.T) {
	check(t, Operation, []string{
		"«https://api.example.com/pets»", "«localhost»/Get", "«localhost»", "«10.0.0.1»/Get", "«10.0.0.1»", "«engine:9000»", "«engine:9000»/pets.v1.PetService/Get", "«user@pets.List»", "«example.com»/login", "«pets.example.org»/Get", "«api.example.com»",
		"«engine.prod.svc.cluster.local»", "«engine.prod.svc.cluster.local»/Get", "«engine.prod.svc»", "«pets.internal»", "«API.EXAMPLE.COM»", "«api.pets.dev»", "«pets.io»", "«shop.acme.de»", "«::1»", "«[::1]»:80", "«0x7f000001»", "«0x7f.1»",
		"«www.pets.zz»", "«xn--bcher-kva.pets»", "«ip-10-0-0-1»", "«//api/x»", "«api%2Eexample%2Ecom»", "«api[.]example[.]com»", "«http:api.example.com»", "«dns:///engine»", "«unix:/run/engine.sock»", "«/run/engine.sock»", "«aHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20=»",
		"«api．example．com»", "«pets.v1.service»/Get", "«engine.prod»/Get", "«00:1a:2b:3c:4d:5e»", "«ops@example.com»", "«api.example.co.uk»", "«engine.prod»:9000", "«api.example.com.»",
	})
	check(t, Operation, []string{
		"orders.search", "orders.create", "pets.v1.PetService/GetPet", "pets.v1.list", "grpc.health.v1.Health/Check", "users.me", "users.info", "users.id", "files.download", "orders.run", "pets.list", "me", "listPets", "list_pets", "list-pets",
		"com.acme.pets.PetService/Get", "io.acme.Pets/List", "PetService/Get", "Pets/List", "pets/list", "repos/get", "code-scanning/get-alert", "admin.users.list", "get.users", "users.name", "users.app", "users.it", "store.shop", "live.watch",
		"getUserByName", "get_v1_pets__id_", "pets:batch", "v1.pets.list", "v1.2.3.4", "2.0.list", "listPets.v1.2", "google.cloud.run.v2.Services/GetService", "google.pubsub.v1.Publisher/Publish", "Users.Get", "System.Net", "net.Dial", "io.Read",
		"user.create:v2", "orders.search_all", "orders.home", "users.private", "Api.Dev", "health", "healthz", "GET_/pets/{id}", "pets.find.by.status", "users.log.in", "notify.about.me", "pets.check.it", "acme.orders.v1alpha1.OrderService/ListOrders", "orders.test", "pets.example",
	})
}

func TestEncoded(t *testing.T) {
	check(t, Text, []string{
		"«aHR0cDovL2FwaS5leGFtcGxlLmNvbQ==»", "token «aHR0cHM6Ly9hcGkuZXhhbXBsZS5jb20», ok", "x=«aHR0cDovL2FwaS5leGFtcGxlLmNvbQ==»", "(«SFRUUDovL0VYQU1QTEUuQ09N»)", "«Z3JwYzovL2VuZ2luZTo5MDAw»", "«cmVkaXM6Ly86cHdAY2FjaGU6NjM3OS8w»", "«aHR0cDovL2E»",
		"«/var/run/docker.sock»", "on «/run/engine.sock», ok", "«./engine.sock»", "«engine.sock»", "«/tmp/.X11-unix/x.SOCK»", "(«/run/x.socket»)", "«~/x.sock».",
	})
	check(t, Text, []string{
		"aHR0c", "aHR0cDov", "Zm9vYmFy", "dGhlIHF1aWNrIGJyb3du", "docker.socket", "sock", ".sock", "a sock", "9f86d081884c7d659a2feaa0c55ad015", "bcrypt", "abcdefghijklmnopqrstuvwxyz", "stocks", "x.sockets",
	})
}

func TestShown(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"api.example.com", "api.example.com"},
		{"see https://user:secret@api.example.com/x.", "https://***@api.example.com/x"},
		{"user:secret@api.example.com", "***@api.example.com"},
		{"ops@example.com", "***@example.com"},
		{"redis://:pw@cache:6379/0", "redis://***@cache:6379/0"},
		{"redis://:p/w@cache:6379/0", "redis://***@cache:6379/0"},
		{"https://user:p@ss@host/", "https://***@host/"},
		{"https://user:pa'ss@host/", "https://***"},
		{"https%3A%2F%2Fuser%3Asecret%40host", "https://***@host"},
		{"http://user%3Asecret%40host/x", "http://***@host/x"},
		{"hxxps://user:secret[@]host/x", "https://***@host/x"},
		{"api[.]example[.]com", "api.example.com"},
		{"exa\u200bmple.com", "example.com"},
		{"aHR0cDovL3U6c2VjcmV0QGhvc3Q=", "aHR0cDov..."},
		{"http://h/" + strings.Repeat("x", 200), "http://h/" + strings.Repeat("x", 71) + "..."},
	} {
		got := Find(c.text, Text)
		if len(got) == 0 || got[0].Shown != c.want {
			t.Errorf("%q: shown %+v, want %q", c.text, got, c.want)
		}
		for _, m := range got {
			if strings.Contains(m.Shown, "secret") || strings.Contains(m.Shown, "ss@") {
				t.Errorf("%q: %q tells a password", c.text, m.Shown)
			}
		}
	}
}
