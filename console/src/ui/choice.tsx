import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';

interface ChoiceProps<Id extends string> {
  label: string;
  /** Hides the label visually; screen readers still read it. */
  isLabelHidden?: boolean;
  value: Id;
  options: readonly { id: Id; text: string }[];
  onChange(id: Id): void;
}

/** A drop-down list from which one option is chosen. */
export function Choice<Id extends string>({
  label,
  isLabelHidden,
  value,
  options,
  onChange,
}: ChoiceProps<Id>) {
  return (
    <Select
      className="choice"
      value={value}
      onChange={(key) => {
        const found = options.find(({ id }) => id === key);
        if (found) onChange(found.id);
      }}
    >
      <Label className={isLabelHidden ? 'unseen' : 'react-aria-Label'}>{label}</Label>
      <Button>
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover>
        <ListBox items={options}>{({ id, text }) => <ListBoxItem id={id}>{text}</ListBoxItem>}</ListBox>
      </Popover>
    </Select>
  );
}
