import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';

interface FieldProps extends Omit<TextFieldProps, 'children'> {
  label: string;
  /** Hides the label from sight; screen readers still say it. */
  isLabelHidden?: boolean;
  hint?: string;
  placeholder?: string;
  /** Lines of a longer text; without it the field has one line. */
  rows?: number;
}

/** A text that is typed, with its name, a hint and what is wrong with it. */
export function Field({ label, isLabelHidden, hint, placeholder = '', rows, ...rest }: FieldProps) {
  return (
    <TextField {...rest}>
      <Label className={isLabelHidden ? 'unseen' : ''}>{label}</Label>
      {rows === undefined ? (
        <Input placeholder={placeholder} />
      ) : (
        <TextArea rows={rows} placeholder={placeholder} />
      )}
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError />
    </TextField>
  );
}
