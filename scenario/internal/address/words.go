package address

import "strings"

// set makes a set of the words in a text.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Schemes that are taken with one slash or none behind the colon. Any scheme is taken
// with two.
var knownSchemes = set(`http https ws wss ftp ftps sftp scp ssh telnet grpc grpcs dns unix unix-abstract tcp tcp4
	tcp6 udp tls ssl amqp amqps kafka nats stomp mqtt mqtts redis rediss postgres postgresql mysql mariadb mongodb
	cassandra memcached ldap ldaps smtp smtps imap imaps pop3 mailto sip sips xmpp irc rtsp rtmp file s3 gs git svn
	jdbc xds passthrough ipv4 ipv6 vsock npipe socks socks4 socks5 docker consul etcd vault zk`)

// Those of them that nobody writes before a colon for another reason.
var opaqueSchemes = set(`unix-abstract passthrough xds vsock npipe ldaps amqps mqtts rediss smtps imaps mailto sips`)

// Schemes that stand in front of another URL.
var wrappingSchemes = set(`jdbc odbc view-source blob feed git svn r2dbc sqlserver dns xds unix urn url uri`)

// Words behind // that are instructions to a tool.
var codeComments = set(`nolint go lint nosec noinspection eslint region endregion todo fixme`)

// Names of the machine itself.
var loopback = set(`localhost localhost4 localhost6 ip6-localhost ip6-loopback ipv6-localhost ipv6-loopback
	localhost-ipv6 broadcasthost`)

// Suffixes that only a network's own resolver knows.
var internalSuffixes = set(`local localdomain internal intern intranet intra lan corp home svc consul onion i2p arpa
	dmz localnet workgroup k8s mesh private docker nomad`)

// Those of them that are also words of code: an operation may end in them.
var wordSuffixes = set(`intern home mesh private docker workgroup nomad k8s`)

// Suffixes reserved for tests and documentation.
var reservedSuffixes = set(`test example invalid`)

// Top-level domains that are hosts in any spelling of their letters, and in operation
// ids: nothing else is usually named so.
var commonDomains = set(`com net org edu gov mil io dev`)

// Domains that make a host of an operation id with three labels or more.
var countryDomains = set(`app cloud co ai uk de eu fr nl ch se dk fi pl cz pt ie jp cn kr ru br au ca biz tech online site xyz
	shop`)

// Domains that U+3002 is read as a dot before, whatever script the name has.
var ideographicDomains = set(`com net org jp cn kr tw hk`)

// Domains that no sentence starts with.
var strongDomains = set(`org edu gov mil uk eu biz`)

// Endings of files. Those that are top-level domains too are what a repository
// usually holds.
var fileEndings = set(`go mod sum rs py pyi ipynb rb pl pm sh bash zsh fish bat cmd ps1 js mjs cjs jsx ts mts tsx vue
	svelte java kt kts scala groovy gradle swift c h cc cpp cxx hh hpp m mm cs fs vb php lua r jl ex exs erl hs ml mli
	clj elm dart zig nim sql proto thrift avsc graphql gql json jsonl json5 ndjson yaml yml toml ini cfg conf config
	properties env xml xsd html htm css scss less svg png jpg jpeg gif webp ico pdf txt md mdx rst adoc tex csv tsv
	log lock tf tfvars hcl mk cmake make bzl bazel dockerfile jinja tmpl tpl hbs patch diff pem crt cer key csr zip
	tar gz tgz bz2 xz zst 7z rar jar war whl deb rpm apk exe dll so dylib a o bin img iso wasm map mov mp4 mp3 wav doc
	docx xls xlsx ppt pptx parquet avro db sqlite bak tmp old orig pid ps snap golden har jmx http feature scenario`)

// Endings of settings, which a sample or a local variant carries before its own.
var configEndings = set(`json jsonc yaml yml toml ini cfg conf properties xml`)

// Words before an ending that make three labels a file's name.
var fileWords = set(`test spec d min gen pb config conf prod local dev staging example sample tar scenario schema
	docker integration e2e unit bench fixture mock stories module setup install build deploy`)

// Endings of archives and packages, which carry versions before them.
var archives = set(`tar tgz zip gz xz bz2 deb rpm apk jar war whl exe msi dll so dylib dmg pkg iso img nupkg gem crate`)

// Kinds of numbered documents.
var documents = set(`rfc adr pep jep kep rfd dip eip section chapter part item page release version ticket issue`)

// Names of files that take any ending, and what stands before .in of a template.
var (
	fileStems = set(`makefile dockerfile containerfile jenkinsfile vagrantfile procfile justfile readme changelog license
		copying notice authors contributing codeowners`)
	templates = set(`makefile configure config cmakelists pre pc am ac spec`)
)

// Words that mark a version that is not finished.
var preReleases = set(`alpha beta rc pre preview dev snapshot build final release ga sp hotfix patch post`)

// Names with a dot that are no hosts, in small letters.
var products = set(`asp.net vb.net ado.net ml.net dot.net java.net java.io java.nio system.net system.io socket.io
	engine.io foo.bar foo.bar.baz foo.baz draw.io ph.d node.red st.john`)

// Labels that code reads from an object, and the objects. Together they are no host.
var (
	properties = set(`name id host email date group total link page zone type media data phone ip pub user`)
	nouns      = set(`user users order orders product products item items customer account service services metadata
		file request response trace span session event message payload cart page host server db config env context
		ctx args params query body header headers tenant org project team job task run node pod container cluster
		self this that obj object model record row table entity parent child client connection pet pets owner
		sdk faas function agent collection destination process resource deployment peer source target scenario test library telemetry scope thread device browser`)
)

// Top-level domains that are verbs or nouns of operations, and under which next to
// no host is registered.
var verbs = set(`search call open save read like map select watch download review author run now new here play chat
	fly moto channel prime total report`)

// First labels of package names that are a domain turned round.
var reversed = set(`com org net io dev edu gov de uk`)

// What follows an at sign in a reference to a version.
var tags = set(`latest next main master head stable canary edge nightly dev beta alpha rc lts current sha256 sha512 sha1
	here channel everyone all team peak rest once least most home work noon midnight`)

// Digests and the like, whose value follows a colon.
var digests = set(`sha1 sha224 sha256 sha384 sha512 md5 crc32 blake2b blake3 xxh64`)

// Images whose tags are small numbers.
var images = set(`node openjdk java jdk jre temurin corretto ubuntu debian fedora alpine rockylinux almalinux centos
	python ruby php golang go rust dotnet postgres mysql mariadb redis mongo elasticsearch kibana nginx chrome firefox
	haproxy keycloak neo4j clickhouse flink spark keydb valkey gradle maven android ios`)

// Words that a small number follows in notes without a space.
var words = set(`rate weight cpu mem memory steps from status count total min max mean avg sum size limit p`)

// Ports below 1024 that people write.
var wellKnownPorts = map[int]bool{
	21: true, 22: true, 23: true, 25: true, 53: true, 67: true, 69: true, 80: true, 88: true, 110: true,
	111: true, 119: true, 123: true, 135: true, 137: true, 139: true, 143: true, 161: true, 162: true, 179: true,
	194: true, 389: true, 443: true, 444: true, 445: true, 464: true, 465: true, 500: true, 514: true, 515: true,
	543: true, 548: true, 554: true, 587: true, 593: true, 623: true, 631: true, 636: true, 853: true, 873: true,
	902: true, 989: true, 990: true, 992: true, 993: true, 995: true,
}

// The tables of format 1 and the keys under each, as prose refers to them.
var formatKeys = map[string]map[string]bool{
	"scenario":   set(`format name environment description skip`),
	"targets":    set(`connection proxy`),
	"load":       set(`target rate duration warmup max_in_flight pattern from steps operations openapi grpc weight expect`),
	"operations": set(`openapi grpc weight expect`),
	"timeline":   set(`at action target fault for message type latency jitter rate status`),
	"fault":      set(`type latency jitter rate status`),
	"assertions": set(`max_error_rate max_p50_ms max_p95_ms max_p99_ms min_requests max_requests min_throughput
		max_uncounted checks`),
	"objective": set(`success_rate p99_ms window`),
}
