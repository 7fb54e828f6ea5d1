import { CopyButton } from '../actions/copy-button.tsx'

interface CodeBlockProps {
  /** What it is, for screen readers. */
  label: string
  code: string
}

export function CodeBlock({ label, code }: CodeBlockProps) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      {/* It scrolls sideways, so it has to be reachable by keyboard. */}
      <section aria-label={label} className="overflow-auto rounded-md p-3 pr-12 font-mono text-xs">
        <pre>
          <code>{code}</code>
        </pre>
      </section>
      <CopyButton text={code} label={`Copy ${label}`} className="absolute top-1 right-1" />
    </div>
  )
}
