import { CopyButton } from '../actions/copy-button.tsx'
import { TextField } from './text-field.tsx'

interface CopyFieldProps {
  /** The name of the field, such as `Secret key`. */
  label: string
  value: string
  description?: string
}

/** Something to be taken along as it is. */
export function CopyField({ label, value, description }: CopyFieldProps) {
  return (
    <div className="flex items-start gap-2">
      <TextField
        label={label}
        value={value}
        description={description}
        isReadOnly
        className="flex-1 [&_input]:font-mono [&_input]:text-xs"
        onFocus={(event) => event.target instanceof HTMLInputElement && event.target.select()}
      />
      <CopyButton text={value} label="Copy" className="mt-6" />
    </div>
  )
}
