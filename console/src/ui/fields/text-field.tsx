import { Input } from 'react-aria-components/Input'
import { TextArea as AriaTextArea } from 'react-aria-components/TextArea'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import { classNames } from '../class-names.ts'
import { FieldLabel, FieldNotes, type FieldTexts, fieldClass, inputClass, invalidProps } from './field.tsx'

interface TextFieldProps extends FieldTexts, Omit<AriaTextFieldProps, 'children' | 'className'> {
  placeholder?: string
  className?: string
}

export function TextField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  placeholder,
  className,
  ...props
}: TextFieldProps) {
  const texts = { label, isLabelHidden, description, errorMessage }
  return (
    <AriaTextField
      {...props}
      {...invalidProps(props.isInvalid ?? Boolean(errorMessage))}
      className={classNames(fieldClass, className)}
    >
      <FieldLabel {...texts} />
      <Input placeholder={placeholder} className={inputClass} />
      <FieldNotes {...texts} />
    </AriaTextField>
  )
}

interface TextAreaProps extends TextFieldProps {
  rows?: number
}

export function TextArea({
  label,
  isLabelHidden,
  description,
  errorMessage,
  placeholder,
  className,
  rows = 4,
  ...props
}: TextAreaProps) {
  const texts = { label, isLabelHidden, description, errorMessage }
  return (
    <AriaTextField {...props} {...invalidProps(Boolean(errorMessage))} className={classNames(fieldClass, className)}>
      <FieldLabel {...texts} />
      <AriaTextArea rows={rows} placeholder={placeholder} className={classNames(inputClass, 'h-auto! py-1')} />
      <FieldNotes {...texts} />
    </AriaTextField>
  )
}

interface DateFieldProps extends FieldTexts {
  /** `2026-05-31`, or empty. */
  value: string
  onChange: (value: string) => void
  isRequired?: boolean
  isDisabled?: boolean
  className?: string
}

/** A day, by the browser's own date field: its notation, calendar and keyboard are the reader's. */
export function DateField(props: DateFieldProps) {
  return <TextField {...props} type="date" />
}
