import { Upload } from 'lucide-react'
import { useId } from 'react'
import { DropZone } from 'react-aria-components/DropZone'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { Button } from '../actions/button.tsx'

interface FileFieldProps {
  label: string
  /** Which files, and what becomes of them. */
  description?: string
  /** Endings or media types, such as `.csv`. */
  accepts: readonly string[]
  /** The label of the button. */
  buttonLabel: string
  onSelect: (file: File) => void
  isPending?: boolean
  errorMessage?: string | undefined
}

/** A file, chosen by a button or dropped on the box. */
export function FileField(props: FileFieldProps) {
  const { label, description, accepts, buttonLabel, onSelect, isPending = false, errorMessage } = props
  const notesId = useId()
  return (
    <DropZone
      aria-label={label}
      onDrop={async ({ items }) => {
        const item = items.find(({ kind }) => kind === 'file')
        if (item?.kind === 'file' && !isPending) onSelect(await item.getFile())
      }}
      className="flex flex-col items-center gap-2 rounded-lg border border-control border-dashed bg-surface px-4 py-8 text-center data-drop-target:border-accent data-drop-target:bg-accent-soft data-focus-visible:outline-2 data-focus-visible:outline-accent-text"
    >
      <Upload aria-hidden className="size-6 text-muted" />
      <p className="font-medium">{label}</p>
      <FileTrigger
        acceptedFileTypes={[...accepts]}
        onSelect={(files) => {
          const file = files?.[0]
          if (file) onSelect(file)
        }}
      >
        <Button variant="primary" isPending={isPending} aria-describedby={notesId}>
          {buttonLabel}
        </Button>
      </FileTrigger>
      <div id={notesId}>
        {description && <p className="max-w-prose text-muted text-xs">{description}</p>}
        {errorMessage && (
          <p role="alert" className="text-danger-text text-xs">
            {errorMessage}
          </p>
        )}
      </div>
    </DropZone>
  )
}
