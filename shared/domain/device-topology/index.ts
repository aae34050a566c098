import { defineArea, type Kernel } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Chips } from '../chips/index.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { Device, DeviceRequest } from './model.ts';
import {
  COUPLING_PARAMETERS,
  deviceOf,
  GATE_PARAMETERS,
  newestCalibration,
  QUBIT_PARAMETERS,
} from './rules.ts';

interface Needs {
  chips: Chips;
  results: TaskResultStore;
  parsing: ParsingPool;
}

/** The calibrated device in the format that programs need to run on it. */
export const deviceTopology = defineArea({
  name: 'deviceTopology',
  indexes: [],
  create({ chips, results, parsing }: Kernel & Needs) {
    /** The chip that was measured last; before the first measurement, the chip that was installed last. */
    async function currentChip(projectId: ProjectId): Promise<string> {
      const measured = await results.newest(projectId);
      if (measured && (await chips.get(projectId, measured.chip_id))) return measured.chip_id;
      const { chips: all } = await chips.list(projectId);
      const newest = all.reduce<(typeof all)[number] | null>(
        (latest, each) => (latest && latest.installed_at >= each.installed_at ? latest : each),
        null,
      );
      if (!newest)
        throw new CalibronError('not_found', 'There is no chip in this project. Create one first.');
      return newest.chip_id;
    }

    return {
      /** Draws a device as a PNG, in a thread, since the device is what a caller sent. @throws bad_request, too_many_requests */
      async plot(plotted: Device, asker: Asker): Promise<Uint8Array> {
        const answer = await parsing.run({ kind: 'device', device: plotted }, asker);
        if ('png' in answer) return answer.png;
        throw new CalibronError('bad_request', 'Drawing this device takes too much time or memory.');
      },

      /** @throws not_found for a project without a chip, and for a chip that was never calibrated */
      async read(projectId: ProjectId, request: DeviceRequest): Promise<Device> {
        const chipId = await currentChip(projectId);
        const { qubit_fidelity, coupling_fidelity } = request.condition;
        const metrics = (...names: (string | null)[]) =>
          names.filter((name): name is string => name !== null && /^[^.$\0 ]{1,200}$/.test(name));
        const [topology, qubits, couplings] = await Promise.all([
          chips.topology(projectId, chipId),
          chips.targetValues('qubit', projectId, chipId, [
            ...metrics(...Object.values(QUBIT_PARAMETERS), qubit_fidelity.metric),
          ]),
          chips.targetValues('coupling', projectId, chipId, [
            ...metrics(...Object.values(COUPLING_PARAMETERS), ...GATE_PARAMETERS, coupling_fidelity.metric),
          ]),
        ]);
        if (!topology) {
          throw new CalibronError(
            'not_found',
            `The topology of chip ${chipId} is no longer in the configuration.`,
          );
        }
        const byId = (found: typeof qubits) => new Map(found.map(({ qid, data }) => [qid, data]));
        const known = { qubits: byId(qubits), couplings: byId(couplings), topology, now: new Date() };
        const calibrated_at = newestCalibration(known);
        if (!calibrated_at) {
          throw new CalibronError(
            'not_found',
            `Nothing of chip ${chipId} is calibrated yet. Run a calibration first.`,
          );
        }
        const { name, device_id } = request;
        return { name, device_id, ...deviceOf(request, known), calibrated_at };
      },
    };
  },
});
