package lokitest

import (
	"net/http"
	"strings"
)

// tenantHeader names the tenant of a request.
const tenantHeader = "X-Scope-OrgID"

// noTenant is the tenant of a server without authentication, whatever a request says.
const noTenant = "fake"

const maxTenant = 150

// tenantOf returns the tenant of a request: grafana/dskit user/http.go and tenant/tenant.go.
func tenantOf(header http.Header, auth bool) (string, *refusal) {
	if !auth {
		return noTenant, nil
	}
	id := header.Get(tenantHeader)
	if id == "" {
		return "", refuse(http.StatusUnauthorized, "no org id")
	}
	// Several are for queries.
	if strings.Contains(id, "|") {
		return "", refuse(http.StatusBadRequest, "multiple org IDs present")
	}
	for _, r := range id {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		if !letter && !strings.ContainsRune("!-_.*'()", r) {
			return "", refuse(http.StatusBadRequest, "tenant ID '%s' contains unsupported character '%c'", id, r)
		}
	}
	if len(id) > maxTenant {
		return "", refuse(http.StatusBadRequest, "tenant ID is too long: max %d characters", maxTenant)
	}
	if id == "." || id == ".." {
		return "", refuse(http.StatusBadRequest, "tenant ID is '.' or '..'")
	}
	return id, nil
}
