import { Outlet, useLocation } from '@tanstack/react-router'
import { useSession } from '#api/session.ts'
import { PageHeader } from '#ui/data/page-header.tsx'
import { LinkTabs } from '#ui/data/tabs.tsx'

const tabs = [
  { href: '/operator/accounts', label: 'Accounts' },
  { href: '/operator/catalogue', label: 'Catalogue' },
  { href: '/operator/imports', label: 'Imports' },
  { href: '/operator/privacy', label: 'Privacy' },
  { href: '/operator/webhooks', label: 'Webhooks' },
  { href: '/operator/system', label: 'System' },
]

export default function OperatorLayout() {
  const { pathname } = useLocation()
  const { person } = useSession()
  if (!person.operator)
    return <PageHeader title="Operator" description="This page is for operators of the installation." />
  return (
    <>
      <LinkTabs label="Operator" tabs={tabs} current={pathname} />
      <Outlet />
    </>
  )
}
