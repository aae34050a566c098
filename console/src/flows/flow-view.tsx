import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Input, Label, Tab, TabList, TabPanel, Tabs, TextField } from 'react-aria-components';
import { api, dataOf } from '../api.ts';
import { useChip } from '../chip/chip-data.ts';
import { useProjectId, useSession } from '../session.tsx';
import { StartForm } from '../start/start-form.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { FlowEditor } from './flow-editor.tsx';
import { useFlow } from './flow-saving.ts';
import { Versions } from './versions.tsx';

/** A flow of the project: its code, its versions, and the form that runs it. */
export function SavedFlow({ name }: { name: string }) {
  const { mayWrite } = useSession();
  const chip = useChip();
  const { tab } = useSearch({ from: '/flows' });
  const navigate = useNavigate({ from: '/flows' });
  const flow = useFlow(name);
  const [isChanged, setChanged] = useState(false);
  if (flow.error) return <Problem error={flow.error} />;
  if (!flow.data || !chip) return <Waiting title="Flow" />;
  const { detail, tag } = flow.data;
  return (
    <>
      <h1>{name}</h1>
      <Tabs
        selectedKey={tab ?? 'code'}
        onSelectionChange={(key) =>
          void navigate({
            search: (now) => ({
              ...now,
              tab: key === 'versions' || key === 'run' ? key : undefined,
              version: undefined,
            }),
          })
        }
      >
        <TabList aria-label={`About ${name}`}>
          <Tab id="code">Code{isChanged && ' •'}</Tab>
          <Tab id="versions">Versions</Tab>
          {mayWrite && <Tab id="run">Run</Tab>}
        </TabList>
        {/* Kept while another tab is shown, so that nothing typed is lost. */}
        <TabPanel id="code" shouldForceMount className="react-aria-TabPanel code-panel">
          <FlowEditor key={name} flow={detail} tag={tag} isNew={false} onChanged={setChanged} />
        </TabPanel>
        <TabPanel id="versions">
          <Versions name={name} current={detail.code} mayRestore={mayWrite && !isChanged} />
        </TabPanel>
        {mayWrite && (
          <TabPanel id="run">
            {isChanged ? (
              <p className="warning">The code has changes that are not saved. Save them to run the flow.</p>
            ) : (
              <StartForm
                key={tag}
                chip={chip}
                name={name}
                title={name}
                description={detail.description}
                parameters={detail.parameters ?? {}}
                defaults={detail.default_parameters}
                template={null}
                replacesFlow={false}
              />
            )}
          </TabPanel>
        )}
      </Tabs>
    </>
  );
}

/** A flow that begins with the code of a template, and is saved under a name of its own. */
export function NewFlow({ template }: { template: string }) {
  const projectId = useProjectId();
  const chip = useChip();
  const [name, setName] = useState('');
  const shipped = useQuery({
    queryKey: ['template', projectId, template],
    queryFn: () =>
      dataOf(api.GET('/flows/templates/{template_id}', { params: { path: { template_id: template } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (shipped.error) return <Problem error={shipped.error} />;
  if (!shipped.data || !chip) return <Waiting title="Template" />;
  const { code, description, function_name } = shipped.data;
  return (
    <>
      <h1>New flow</h1>
      <TextField className="inline-field" value={name} onChange={setName} isRequired autoFocus>
        <Label>Name</Label>
        <Input placeholder={template} />
      </TextField>
      <FlowEditor
        flow={{
          name,
          code,
          description,
          chip_id: chip.chip_id,
          flow_function_name: function_name,
          default_parameters: {},
          default_run_parameters: {},
          tags: [],
        }}
        tag={null}
        isNew
      />
    </>
  );
}
