// Package engine models an inference service as a discrete-event simulation in
// virtual time. It is pure: no wall clock, no global random source, no
// telemetry. The same [Config] always gives the same sequence of [Moment].
//
// A request passes receive, preprocess (bounded CPU workers), the queue of its
// model, the GPUs of its model (continuous batching: sequences join and leave
// between steps) and postprocess. Nobody draws a queueing time: it is what is
// left when more work arrives than steps can take.
//
// All times are durations since the start of the simulation.
package engine
