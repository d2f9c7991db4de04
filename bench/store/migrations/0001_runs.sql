-- Portable between SQLite and PostgreSQL: texts, and bigint for numbers, for unix
-- milliseconds (0 where there is no time) and for truth (0 or 1).

create table versions (
	account    text   not null,
	sha256     text   not null,
	name       text   not null,
	source     text   not null,
	size       bigint not null,
	created_at bigint not null,
	primary key (account, sha256)
);

create table runs (
	id            text   not null primary key,
	account       text   not null,
	-- What the run judges, see Start.Key; with the attempt it makes a start idempotent.
	start_key     text   not null,
	attempt       bigint not null,
	-- The name that its start request gave itself; null where it gave none.
	request       text,
	version       text   not null,
	name          text   not null,
	environment   text   not null,
	repository    text   not null,
	pull_request  bigint not null,
	merge_group   text   not null,
	ref           text   not null,
	commit_sha    text   not null,
	base_sha      text   not null,
	path          text   not null,
	actor         text   not null,
	-- JSON list of the connections that the run uses.
	connections   text   not null,
	status        text   not null,
	outcome       text   not null,
	reason        text   not null,
	-- Why the run is to end; empty while nobody asked.
	cancel_reason text   not null,
	detached      bigint not null,
	created_at    bigint not null,
	started_at    bigint not null,
	finished_at   bigint not null,
	-- When a waiting run gives up.
	expires_at    bigint not null,
	-- Number of the newest event: numbers have no gaps.
	last_event    bigint not null,
	-- JSON, empty until there is one.
	result        text   not null,
	unique (account, start_key, attempt),
	unique (account, request)
);

create index runs_by_activity on runs (status, detached);
create index runs_by_status on runs (account, status, id);
create index runs_by_start on runs (account, started_at);
create index runs_by_path on runs (account, repository, path, id);

create table run_events (
	run    text   not null references runs (id),
	number bigint not null,
	type   text   not null,
	data   text   not null,
	primary key (run, number)
);

create table holders (
	run     text   not null references runs (id),
	holder  text   not null,
	expires bigint not null,
	primary key (run, holder)
);

create table tokens (
	-- Lower-case hex of the token's SHA-256; the token itself is kept nowhere.
	hash         text   not null primary key,
	account      text   not null,
	name         text   not null,
	-- Separated by blanks.
	scopes       text   not null,
	-- JSON list of the repositories it is bound to; an empty list is any.
	repositories text   not null,
	created_at   bigint not null,
	expires_at   bigint not null,
	revoked_at   bigint not null
);
