import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Field } from '../ui/field.tsx';
import { SubmitForm } from '../ui/submit-form.tsx';

/** What one begins with where nothing else is chosen. */
const USUAL = 'square-lattice-mux-16';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Adds a chip to the project and shows it: its name, and the places of its qubits. */
export function NewChip({ onDone }: { onDone?: () => void }) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string>();
  const topologies = useQuery({
    queryKey: ['topologies'],
    queryFn: async () =>
      (await dataOf(api.GET('/topology/list'))).topologies.sort(
        (one, other) => one.num_qubits - other.num_qubits,
      ),
  });
  const topology = topologies.data?.find(({ id }) => id === (chosen ?? USUAL)) ?? topologies.data?.[0];
  const adding = useMutation({
    mutationFn: (form: FormData) =>
      dataOf(
        api.POST('/chips', {
          body: {
            chip_id: String(form.get('chip_id') ?? ''),
            size: topology?.num_qubits ?? null,
            topology_id: topology?.id ?? null,
          },
        }),
      ),
    async onSuccess({ chip_id }) {
      await client.invalidateQueries({ queryKey: ['chips', projectId] });
      onDone?.();
      await navigate({ to: '/', search: ({ project }) => ({ project, chip: chip_id }) });
    },
  });
  if (topologies.error) return <Problem error={topologies.error} />;
  if (!topology) return <Waiting title="Topologies" />;
  return (
    <SubmitForm sending={adding} text="Add the chip">
      <Field
        name="chip_id"
        label="Name of the chip"
        hint="It cannot be changed later."
        validate={(name) => (NAME.test(name) ? null : 'Use letters, digits, dots, dashes and underscores.')}
        isRequired
        autoComplete="off"
      />
      <Choice
        label="Topology"
        value={topology.id}
        options={(topologies.data ?? []).map(({ id, name }) => ({ id, text: name }))}
        onChange={setChosen}
      />
      <p className="muted hint">
        A chip begins without values. Start the template Bring-up, which finds them, or a flow of your own.
      </p>
    </SubmitForm>
  );
}
