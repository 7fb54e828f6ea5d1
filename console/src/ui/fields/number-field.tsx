import { Input } from 'react-aria-components/Input'
import {
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
} from 'react-aria-components/NumberField'
import { classNames } from '../class-names.ts'
import { FieldLabel, FieldNotes, type FieldTexts, fieldClass, inputClass, invalidProps } from './field.tsx'

interface NumberFieldProps extends FieldTexts, Omit<AriaNumberFieldProps, 'children' | 'className'> {
  placeholder?: string
  className?: string
}

/** A number in the reader's own notation. An empty field is `NaN`. The arrow keys change it by one step. */
export function NumberField({
  label,
  isLabelHidden,
  description,
  errorMessage,
  placeholder,
  className,
  ...props
}: NumberFieldProps) {
  const texts = { label, isLabelHidden, description, errorMessage }
  return (
    <AriaNumberField {...props} {...invalidProps(Boolean(errorMessage))} className={classNames(fieldClass, className)}>
      <FieldLabel {...texts} />
      <Input placeholder={placeholder} className={inputClass} />
      <FieldNotes {...texts} />
    </AriaNumberField>
  )
}
