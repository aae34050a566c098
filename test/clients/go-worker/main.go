// Command go-worker is a backend in Go: it serves CheckT1 of one instrument (docs/backend-contract.md).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

type object = map[string]any

// checkT1 stands for the instrument's own driver: it measures until ctx ends.
func checkT1(ctx context.Context, r object) (object, error) {
	run := r["run_parameters"].(object)
	sweep := run["time_range"].(object)["value"].([]any)
	from, to, count := sweep[0].(float64), sweep[1].(float64), sweep[2].(float64)
	times, values := make([]float64, int(count)), make([]float64, int(count))
	for i := range times {
		times[i] = math.Pow(10, from+(to-from)*float64(i)/(count-1))
		values[i] = math.Exp(-times[i] / 50_000)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Duration(run["shots"].(object)["value"].(float64) * 1e5)):
	}
	return object{r["targets"].([]any)[0].(string): object{"dataset": object{"dims": object{"time": len(times)},
		"coordinates": object{"time": object{"dims": []string{"time"}, "values": times, "unit": "ns"}},
		"variables":   object{"iq_re": object{"dims": []string{"time"}, "values": values, "unit": "a.u."}}}}}, nil
}

type outcome struct {
	result  object
	failure error
	attempt float64
}

type backend struct {
	client client.Client
	epochs map[string]float64   // by project, the latest run
	kept   map[string]outcome   // by request, what was measured
	cutOff map[string][]float64 // by task, the attempts without an answer from Temporal
}

func failed(kind, format string, words ...any) error {
	return temporal.NewNonRetryableApplicationError(fmt.Sprintf(format, words...), kind, nil)
}

func (b *backend) measure(ctx context.Context, r object) (object, error) {
	task, project, epoch := r["task_id"].(string), r["project_id"].(string), r["epoch"].(float64)
	if r["contract"] != 1.0 || r["task_name"] != "CheckT1" {
		return nil, failed("MeasurementError", "contract %v and task %v are not served here", r["contract"], r["task_name"])
	} else if epoch < b.epochs[project] {
		return nil, failed("Fenced", "a later run of the project has measured here")
	}
	b.epochs[project] = epoch
	same, _ := json.Marshal([]any{task, r["pass"], r["task_name"], r["targets"], r["input_parameters"], r["target_parameters"], r["run_parameters"]})
	if kept, ok := b.kept[string(same)]; ok {
		return b.deliver(ctx, kept, r)
	}
	info := activity.GetInfo(ctx)
	limit := info.HeartbeatTimeout - min(3*time.Second, info.HeartbeatTimeout*3/10)
	details, heard := object{"cut_off_attempts": append([]float64{}, b.cutOff[task]...)}, time.Now()
	beat := func() error { // waits for the answer, unlike activity.RecordHeartbeat
		sent := time.Now()
		c, end := context.WithDeadline(context.Background(), heard.Add(limit))
		defer end()
		err := b.client.RecordActivityHeartbeat(c, info.TaskToken, details)
		if gone := new(serviceerror.NotFound); errors.As(err, &gone) {
			return failed("Fenced", "nothing waits for this measurement")
		} else if canceled := new(temporal.CanceledError); err == nil || errors.As(err, &canceled) {
			heard = sent
			activity.RecordHeartbeat(ctx, details) // learns of a cancel, too, and ends ctx
		} else if time.Since(heard) >= limit {
			b.cutOff[task] = append(b.cutOff[task], r["attempt"].(float64))
			return failed("WorkerShutdown", "cut off from Temporal")
		}
		return nil
	}
	for first := heard; heard == first; time.Sleep(50 * time.Millisecond) {
		if err := beat(); err != nil {
			return nil, err
		}
	}
	measuring, stop := context.WithCancel(ctx)
	defer stop()
	done, started, timeout := make(chan outcome, 1), time.Now(), time.After(time.Duration(r["timeout"].(float64)*1e9))
	go func() {
		targets, err := checkT1(measuring, r)
		done <- outcome{object{"targets": targets, "started_at": started.UTC(), "finished_at": time.Now().UTC()}, err, r["attempt"].(float64)}
	}()
	var err error
	for err == nil {
		select {
		case kept := <-done:
			b.kept[string(same)] = kept
			return b.deliver(ctx, kept, r)
		case <-time.After(min(limit/3, time.Second)):
			err = beat()
		case <-ctx.Done():
			err = ctx.Err()
		case <-activity.GetWorkerStopChannel(ctx):
			err = failed("WorkerShutdown", "the worker stops")
		case <-timeout:
			err = failed("MeasurementError", "no result within %v s", r["timeout"])
		}
	}
	stop()
	<-done // Only when the instrument is quiet may this return.
	return nil, err
}

// deliver hands an outcome to Temporal until it is taken; the SDK itself gives up too soon.
func (b *backend) deliver(ctx context.Context, kept outcome, r object) (object, error) {
	if kept.failure != nil {
		return nil, failed("MeasurementError", "%v", kept.failure)
	}
	answer := maps.Clone(kept.result)
	if kept.attempt != r["attempt"] {
		answer["measured_in_attempt"] = kept.attempt
	}
	for ; ; time.Sleep(500 * time.Millisecond) {
		c, end := context.WithTimeout(context.Background(), 5*time.Second)
		err := b.client.CompleteActivity(c, activity.GetInfo(ctx).TaskToken, answer, nil)
		end()
		if gone := new(serviceerror.NotFound); err == nil || errors.As(err, &gone) {
			return nil, activity.ErrResultPending
		}
	}
}

func main() {
	c, err := client.Dial(envconfig.MustLoadDefaultClientOptions())
	if err != nil {
		log.Fatal(err)
	}
	w := worker.New(c, "backend:"+os.Getenv("BACKEND"), worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: 1, WorkerStopTimeout: 5 * time.Second, MaxHeartbeatThrottleInterval: time.Second})
	b := &backend{c, map[string]float64{}, map[string]outcome{}, map[string][]float64{}}
	w.RegisterActivityWithOptions(b.measure, activity.RegisterOptions{Name: "measure"})
	if err := w.Run(worker.InterruptCh()); err != nil {
		log.Fatal(err)
	}
}
