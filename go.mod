module github.com/inorbit-hr/reliability

go 1.26.8
