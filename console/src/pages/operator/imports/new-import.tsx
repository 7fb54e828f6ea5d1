import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { FileField } from '#ui/fields/file-field.tsx'
import { Segmented } from '#ui/fields/segmented.tsx'
import { createImport, type ImportKind, importKey } from './imports-api.ts'
import { startUpload } from './uploads.ts'
import { acceptedEndings, importKindNames } from './words.ts'

const kindOptions = (Object.keys(importKindNames) as ImportKind[]).map((id) => ({ id, label: importKindNames[id] }))

/** What is in the file, and the file. The upload begins at once; nothing is imported by it. */
export function NewImport() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [kind, setKind] = useState<ImportKind>('stores')
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const begin = async (file: File) => {
    setIsPending(true)
    setFailure(undefined)
    try {
      const reply = await createImport({
        kind,
        file_name: file.name,
        bytes: file.size,
        modified_at: new Date(file.lastModified).toISOString(),
      })
      const { id } = reply.import
      queryClient.setQueryData(importKey(id), reply)
      startUpload(id, file, 0, () => queryClient.invalidateQueries({ queryKey: ['operator'] }))
      await navigate({ to: '/operator/imports/$import', params: { import: String(id) } })
    } catch (error) {
      setFailure(error)
      setIsPending(false)
    }
  }
  return (
    <section aria-label="New import" className="mb-8 space-y-3">
      <Segmented
        label="The file has"
        options={kindOptions}
        value={kind}
        onChange={setKind}
        className="justify-start!"
      />
      <FileField
        label="Drop a file here"
        buttonLabel="Choose a file"
        description="CSV, as spreadsheets save it, NDJSON or JSON, also with .gz; up to 2 GB. You see how it is read before anything is imported."
        accepts={acceptedEndings}
        onSelect={(file) => void begin(file)}
        isPending={isPending}
        errorMessage={failure ? messageOf(failure) : undefined}
      />
    </section>
  )
}
