package procs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// maxAnswer bounds the kubelet's answer, in bytes, as the kubelet's own client
// does.
const maxAnswer = 16 << 20

// errNoSocket says that there is no kubelet here.
var errNoSocket = errors.New("the kubelet's PodResources socket does not exist")

// lister asks for the devices of all pods of the node. It returns errNoSocket
// where there is nobody to ask.
type lister func(context.Context) ([]*podresources.PodResources, error)

// kubelet returns a lister that asks the kubelet at a unix socket
// (PodResourcesLister of k8s.io/kubelet, v1 since Kubernetes 1.20). It connects
// anew each time: a kubelet that restarts makes a new socket, and a connection
// to the old one would first have to find out.
func kubelet(socket string) lister {
	dial := func(ctx context.Context, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	return func(ctx context.Context) ([]*podresources.PodResources, error) {
		if _, err := os.Stat(socket); errors.Is(err, fs.ErrNotExist) {
			return nil, errNoSocket
		}
		conn, err := grpc.NewClient("passthrough:///kubelet",
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(dial),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
			grpc.WithDisableServiceConfig(),
		)
		if err != nil {
			return nil, fmt.Errorf("connect to the kubelet: %w", err)
		}
		defer conn.Close()
		answer, err := podresources.NewPodResourcesListerClient(conn).List(ctx, &podresources.ListPodResourcesRequest{})
		if err != nil {
			return nil, fmt.Errorf("list pod resources: %w", err)
		}
		return answer.GetPodResources(), nil
	}
}
