import { PageHeader } from '#ui/data/page-header.tsx'

export default function PrivacyPage() {
  return (
    <main className="mx-auto max-w-xl p-4 sm:p-8">
      <PageHeader title="Privacy" />
    </main>
  )
}
