// Package api holds the contract of the bench's API, openapi.yaml. The wire's types
// (package run), the server (package bench/api) and the client (package runclient)
// are generated from it, so that they cannot drift.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config models.yaml openapi.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config server.yaml openapi.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config client.yaml openapi.yaml
