import { CopyButton } from '../actions/copy-button.tsx'

interface CodeBlockProps {
  /** What it is, for screen readers. */
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
