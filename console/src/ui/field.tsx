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
  /** Hides the label visually; screen readers still read it. */
  isLabelHidden?: boolean;
  hint?: string;
  placeholder?: string;
  /** Number of lines of a longer text. By default the field has one line. */
  rows?: number;
}

/** A text field with a label, a hint and an error message. */
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
