import { muxOf } from '../../science/device/device.ts';
import type { BoxSetup, BoxSetupSimulation } from '../common/simulation/model.ts';

function listOf({ run }: BoxSetup, name: string): string[] {
  const value = run[name]?.value;
  return Array.isArray(value) ? value.map(String) : [];
}

function linesOf({ targets }: BoxSetup): string[] {
  // A coupling has two qubits.
  const qids = targets.flatMap((target) => target.split('-'));
  return [...new Set(qids.map((qid) => muxOf(qid).name))];
}

export const checkStatusSimulation: BoxSetupSimulation = (setup) =>
  linesOf(setup)
    .map((line) => `Box of ${line}: ready.`)
    .join('\n');

export const linkUpSimulation: BoxSetupSimulation = (setup) =>
  linesOf(setup)
    .map((line) => `Box of ${line}: linked up.`)
    .join('\n');

export const dumpBoxSimulation: BoxSetupSimulation = (setup) =>
  linesOf(setup)
    .map((line) => JSON.stringify({ box: line, clock: 'locked', ports: ['readout', 'control', 'pump'] }))
    .join('\n');

export const configureSimulation: BoxSetupSimulation = ({ targets }) =>
  `Configured the ports of ${targets.join(', ')}.`;

export const configureAllSimulation: BoxSetupSimulation = (setup) => {
  const muxes = listOf(setup, 'mux_ids');
  return `Configured ${muxes.length > 0 ? `the boxes of MUX ${muxes.join(', ')}` : 'all boxes'}.`;
};

export const readoutConfigureSimulation: BoxSetupSimulation = (setup) => {
  const qubits = listOf(setup, 'qubits');
  return qubits.length > 0 ? `Configured the readout of ${qubits.join(', ')}.` : 'Nothing to configure.';
};
