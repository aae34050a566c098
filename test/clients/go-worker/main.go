// Command go-worker is a backend in Go: it serves CheckT1 of one instrument (docs/backend-contract.md).
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

var failed = temporal.NewNonRetryableApplicationError
var epochs = map[any]float64{}        // by project: its latest run
var kept = map[string]func() object{} // by request: what was measured
var cutOff = map[any][]any{}          // by task: the attempts in which Temporal did not answer

// beat calls begin when Temporal has answered a heartbeat, and stop when the instrument must not go on.
func beat(ctx context.Context, begin func(), stop func(cause error), task, attempt any) {
	info, details := activity.GetInfo(ctx), object{"cut_off_attempts": append([]any{}, cutOff[task]...)}
	limit := info.HeartbeatTimeout - min(3*time.Second, info.HeartbeatTimeout*3/10)
	for heard, sent := time.Now(), time.Now(); ctx.Err() == nil; sent = time.Now() {
		waiting, end := context.WithDeadline(ctx, heard.Add(limit))
		err := activity.GetClient(ctx).RecordActivityHeartbeat(waiting, info.TaskToken, details)
		switch end(); err.(type) {
		case nil:
			heard = sent
			begin()
		case *serviceerror.NotFound, *temporal.CanceledError:
			stop(err)
		}
		select {
		case <-ctx.Done():
		case <-activity.GetWorkerStopChannel(ctx):
			stop(failed("the worker stops", "WorkerShutdown", nil))
		case <-time.After(time.Until(heard.Add(limit))):
			cutOff[task] = append(cutOff[task], attempt)
			stop(failed("cut off from Temporal", "WorkerShutdown", nil))
		case <-time.After(min(limit/3, time.Second)):
		}
	}
}

// answer measures what is asked for, unless that has been done.
func answer(ctx context.Context, r object) (object, error) {
	same := fmt.Sprint(r["task_id"], r["pass"], r["targets"], r["input_parameters"], r["run_parameters"])
	if r["contract"] != 1.0 || r["task_name"] != "CheckT1" {
		return nil, failed(fmt.Sprintf("contract %v, task %v: not served here", r["contract"], r["task_name"]), "", nil)
	} else if r["epoch"].(float64) < epochs[r["project_id"]] {
		return nil, failed("a later run of the project has measured here", "Fenced", nil)
	} else if kept[same] != nil {
		return kept[same](), nil
	}
	epochs[r["project_id"]] = r["epoch"].(float64)
	measuring, stop := context.WithCancelCause(ctx)
	tooLong := failed(fmt.Sprintf("no result within %v s", r["timeout"]), "", nil)
	defer time.AfterFunc(time.Duration(r["timeout"].(float64)*1e9), func() { stop(tooLong) }).Stop()
	answered, begin := context.WithCancel(measuring)
	go beat(measuring, begin, stop, r["task_id"], r["attempt"])
	<-answered.Done()
	started, targets := time.Now().UTC(), checkT1(measuring, r)
	if stop(nil); targets == nil {
		return nil, context.Cause(measuring)
	}
	result := object{"targets": targets, "started_at": started, "finished_at": time.Now().UTC()}
	kept[same] = func() object { result["measured_in_attempt"] = r["attempt"]; return result }
	return result, nil
}

// measure hands the answer to Temporal until it is taken; the SDK itself gives that up too soon.
func measure(ctx context.Context, r object) (object, error) {
	result, failure := answer(ctx, r)
	for token := activity.GetInfo(ctx).TaskToken; ; time.Sleep(500 * time.Millisecond) {
		waiting, end := context.WithTimeout(context.Background(), 5*time.Second)
		err := activity.GetClient(ctx).CompleteActivity(waiting, token, result, failure)
		switch end(); err.(type) {
		case nil, *serviceerror.NotFound:
			return nil, activity.ErrResultPending
		}
	}
}

func main() {
	c, err := client.Dial(envconfig.MustLoadDefaultClientOptions())
	if err != nil {
		panic(err)
	}
	oneByOne := worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: 1, WorkerStopTimeout: 5 * time.Second}
	w := worker.New(c, "backend:"+os.Getenv("BACKEND"), oneByOne)
	w.RegisterActivity(measure)
	if err := w.Run(worker.InterruptCh()); err != nil {
		panic(err)
	}
}
