import type { FieldTexts } from './field.tsx'
import { TextField } from './text-field.tsx'

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
