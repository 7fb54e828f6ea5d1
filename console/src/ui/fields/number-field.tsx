import { useState } from 'react'
import { Input } from 'react-aria-components/Input'
import {
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
} from 'react-aria-components/NumberField'
import { classNames } from '../class-names.ts'
import { FieldLabel, FieldNotes, type FieldTexts, fieldClass, inputClass, invalidProps } from './field.tsx'

interface NumberFieldProps
  extends FieldTexts,
    Omit<AriaNumberFieldProps, 'children' | 'className' | 'onBlur' | 'onKeyDown'> {
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
  // The text counts only when the field is left. If its old error went away only then, the button that is being pressed
  // would move away from under the pointer.
  const [isTyping, setTyping] = useState(false)
  const shownError = isTyping ? undefined : errorMessage
  const texts = { label, isLabelHidden, description, errorMessage: shownError }
  return (
    <AriaNumberField
      {...props}
      {...invalidProps(Boolean(shownError))}
      onBlur={() => setTyping(false)}
      onKeyDown={({ key }) => key === 'Enter' && setTyping(false)}
      className={classNames(fieldClass, className)}
    >
      <FieldLabel {...texts} />
      <Input placeholder={placeholder} className={inputClass} onInput={() => setTyping(true)} />
      <FieldNotes {...texts} />
    </AriaNumberField>
  )
}
