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

interface CodeBlockProps {
  /** Its name for screen readers. */
  label: string
  code: string
}

export function CodeBlock({ label, code }: CodeBlockProps) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it has to be reachable by keyboard */}
      <section tabIndex={0} aria-label={label} className="mr-11 overflow-auto rounded-md p-3 font-mono text-xs">
        <pre>
          <code>{code}</code>
        </pre>
      </section>
      <div className="absolute top-1 right-1">
        <CopyButton text={code} label={`Copy ${label}`} />
      </div>
    </div>
  )
}
