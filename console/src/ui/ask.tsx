import { type ReactNode, useState } from 'react';
import { Button, Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Problem } from './feedback.tsx';
import './dialogs.css';

interface ConfirmProps {
  /** The label of the button. */
  text: string;
  /** What screen readers say where the text alone would not tell one row from the next. */
  label?: string;
  /** The question, with the name of what it is about. */
  question: string;
  /** What happens, and whether it can be undone. */
  children: ReactNode;
  /** Does it; the dialog stays open with the problem if it is refused. */
  onConfirm(): Promise<unknown>;
}

/** A button for what cannot be undone: it asks first. */
export function Confirm({ text, label, question, children, onConfirm }: ConfirmProps) {
  return (
    <DialogTrigger>
      <Button className="danger" {...(label && { 'aria-label': label })}>
        {text}
      </Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="dialog">
          <Dialog role="alertdialog">
            {({ close }) => (
              <Question {...{ text, question, onConfirm }} onDone={close}>
                {children}
              </Question>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}

function Question({
  text,
  question,
  children,
  onConfirm,
  onDone,
}: Omit<ConfirmProps, 'label'> & { onDone: () => void }) {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = () => {
    setPending(true);
    onConfirm().then(onDone, (thrown) => {
      setError(thrown);
      setPending(false);
    });
  };
  return (
    <>
      <Heading slot="title">{question}</Heading>
      {children}
      {error !== undefined && <Problem error={error} />}
      <div className="buttons">
        <Button className="danger" isPending={isPending} onPress={confirm}>
          {text}
        </Button>
        <Button autoFocus onPress={onDone}>
          Keep it
        </Button>
      </div>
    </>
  );
}

/** A button that opens a form. The form closes it when it is done. */
export function Opens({
  text,
  label,
  title,
  isPrimary,
  children,
}: {
  text: string;
  label?: string;
  title: string;
  isPrimary?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  return (
    <DialogTrigger>
      <Button className={isPrimary ? 'primary' : ''} {...(label && { 'aria-label': label })}>
        {text}
      </Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal className="dialog">
          <Dialog>
            {({ close }) => (
              <>
                <Heading slot="title">{title}</Heading>
                {children(close)}
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
