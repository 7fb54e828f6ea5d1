import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { addressOf } from '#api/operations.ts'
import { useSaveSetting, useSetting } from '#api/settings.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { Dialog, DialogActions } from '#ui/overlays/dialog.tsx'
import { formatOf, hasColumns, knownFormat, settingGroup } from '../export-dialog/export-form-state.ts'
import { ColumnsSection, FormatField } from '../export-dialog/file-fields.tsx'
import { exportColumnsQuery } from '../exports/api.ts'

interface ExportRevealedDialogProps {
  account: string
  store: string | undefined
  onClose: () => void
}

/** Which file. It is made while it is downloaded, and costs nothing. */
export default function ExportRevealedDialog({ account, store, onClose }: ExportRevealedDialogProps) {
  const remembered = useSetting(settingGroup, 'format')
  const save = useSaveSetting()
  const [format, setFormat] = useState(knownFormat(remembered))
  const [columns, setColumns] = useState<readonly string[] | null>(null)
  const [isStarted, setIsStarted] = useState(false)
  const known = useQuery(exportColumnsQuery)
  const link = useRef<HTMLAnchorElement>(null)
  const url = addressOf('getRevealedFile', {
    account,
    ...formatOf(format),
    columns: columns && hasColumns(format) ? columns.join(',') : undefined,
    search: store,
  })
  useEffect(() => {
    if (!isStarted) return
    link.current?.focus()
    link.current?.click()
  }, [isStarted])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (columns?.length === 0) return
    // A choice that could not be kept is made again.
    save({ group: settingGroup, name: 'format', value: format }).catch(() => undefined)
    setIsStarted(true)
  }
  return (
    <Dialog
      title={store ? `Export people of ${store}` : 'Export revealed people'}
      isOpen
      onClose={onClose}
      size="medium"
    >
      {isStarted ? (
        <>
          <p role="status">The download has begun. It costs nothing; the file has today’s channels.</p>
          <DialogActions>
            <Button onPress={onClose}>Done</Button>
            <a ref={link} href={url} download className={buttonClass('primary')}>
              <Download aria-hidden />
              Download
            </a>
          </DialogActions>
        </>
      ) : (
        <form onSubmit={submit} className="space-y-4">
          <FormatField kind="contacts" value={format} onChange={setFormat} />
          <ColumnsSection
            kind="contacts"
            format={format}
            columns={
              known.data && { ...known.data, contacts: known.data.contacts.filter((name) => name !== 'charged') }
            }
            chosen={columns}
            onChange={setColumns}
          />
          <p>{store ? `Everybody revealed of ${store}` : 'Everybody revealed'}, free of charge.</p>
          <DialogActions>
            <Button onPress={onClose}>Cancel</Button>
            <Button type="submit" variant="primary">
              Start export
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  )
}
