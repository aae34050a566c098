package main

import (
	"context"
	"math"
	"time"
)

// object is a JSON object.
type object = map[string]any

// checkT1 stands for the driver of a laboratory. It measures a T1 of 50 µs until ctx ends, and then returns nil.
func checkT1(ctx context.Context, r object) object {
	run := r["run_parameters"].(object)
	sweep, shots := run["time_range"].(object)["value"].([]any), run["shots"].(object)["value"].(float64)
	from, to, count := sweep[0].(float64), sweep[1].(float64), sweep[2].(float64)
	times, values := make([]float64, int(count)), make([]float64, int(count))
	for i := range times {
		times[i] = math.Pow(10, from+(to-from)*float64(i)/(count-1))
		values[i] = math.Exp(-times[i] / 50_000)
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(time.Duration(shots * 1e5)):
	}
	variable := func(values []float64, unit string) object {
		return object{"dims": []string{"time"}, "values": values, "unit": unit}
	}
	return object{r["targets"].([]any)[0].(string): object{"dataset": object{
		"dims":        object{"time": len(times)},
		"coordinates": object{"time": variable(times, "ns")},
		"variables":   object{"iq_re": variable(values, "a.u.")},
	}}}
}
