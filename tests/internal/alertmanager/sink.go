package alertmanager

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Alert is an alert as a webhook gets it.
type Alert struct {
	Status      string            `json:"status"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Fingerprint string            `json:"fingerprint"`
}

// Sink takes messages by webhook, as WeCom's API, and as a mail server.
type Sink struct {
	// URL is that of the web server: /webhook, and /cgi-bin/ for WeCom.
	URL string
	// Mail is host:port of the mail server. It asks for no password.
	Mail string

	mu           sync.Mutex
	alerts       []Alert
	chats, mails []string
}

// NewSink starts a sink that runs until the test ends.
func NewSink(t testing.TB) *Sink {
	t.Helper()
	s := &Sink{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /webhook", func(_ http.ResponseWriter, r *http.Request) {
		var message struct{ Alerts []Alert }
		if json.NewDecoder(r.Body).Decode(&message) == nil {
			s.add(func() { s.alerts = append(s.alerts, message.Alerts...) })
		}
	})
	mux.HandleFunc("GET /cgi-bin/gettoken", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"errcode": 0, "access_token": "token"}`)
	})
	mux.HandleFunc("POST /cgi-bin/message/send", func(w http.ResponseWriter, r *http.Request) {
		var message struct{ Markdown struct{ Content string } }
		if json.NewDecoder(r.Body).Decode(&message) == nil {
			s.add(func() { s.chats = append(s.chats, message.Markdown.Content) })
		}
		fmt.Fprint(w, `{"errcode": 0}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	s.Mail = listener.Addr().String()
	go s.serveMail(listener)
	return s
}

func (s *Sink) add(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// Alerts returns what the webhook got of an alert, the oldest first; "" is every alert.
func (s *Sink) Alerts(name string) (list []Alert) {
	s.add(func() {
		for _, a := range s.alerts {
			if name == "" || a.Labels["alertname"] == name {
				list = append(list, a)
			}
		}
	})
	return list
}

// Chats returns the messages to WeCom, and Mails the mails with their headers, the oldest first.
func (s *Sink) Chats() (list []string) {
	s.add(func() { list = append(list, s.chats...) })
	return list
}

// Mails returns the mails with their headers, the oldest first.
func (s *Sink) Mails() (list []string) {
	s.add(func() { list = append(list, s.mails...) })
	return list
}

func (s *Sink) serveMail(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go s.takeMail(textproto.NewConn(conn))
	}
}

func (s *Sink) takeMail(c *textproto.Conn) {
	defer c.Close()
	answer := "220 mail"
	for c.PrintfLine("%s", answer) == nil {
		line, err := c.ReadLine()
		if err != nil {
			return
		}
		answer = "250 ok"
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "QUIT":
			_ = c.PrintfLine("221 bye")
			return
		case "DATA":
			if c.PrintfLine("354 go on") != nil {
				return
			}
			data, err := c.ReadDotBytes()
			if err != nil {
				return
			}
			s.add(func() { s.mails = append(s.mails, string(data)) })
		}
	}
}
