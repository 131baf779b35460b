"""Rows for tests. Each needs the scope of its tenant, except `TenantFactory`, which opens it."""

import hashlib
import uuid
from typing import Any

import factory
from django.db.models.functions import Now, TruncHour
from factory.django import DjangoModelFactory

from archiv.models import KeptAnswer, RateBucket
from documents.models import (
    Asset,
    Document,
    DocumentVersion,
    FileFacts,
    IndexedCopy,
    IndexState,
    MailAttachment,
    NamingSettings,
    PageCheckpoint,
    PageText,
    RetentionClass,
    SearchEntry,
    StepResult,
    TenantIndex,
    VaultCheck,
    VaultFinding,
)
from jobs.models import Job, JobAttempt, ProbeEffect, TenantHour, TenantQueue
from tenants.models import ApiToken, CapabilitySet, Membership, Tenant, User, WipeOrder
from tenants.scope import tenant_scope


class UserFactory(DjangoModelFactory[User]):
    """A user with no rights of an operator."""

    class Meta:
        model = User

    username = factory.Sequence(lambda number: f"user-{number}-{uuid.uuid4().hex[:6]}")


class TenantFactory(DjangoModelFactory[Tenant]):
    """An active tenant."""

    class Meta:
        model = Tenant

    id = factory.LazyFunction(uuid.uuid4)
    name = factory.Sequence(lambda number: f"Tenant {number} {uuid.uuid4().hex[:6]}")
    status = "active"

    @classmethod
    def _create(cls, model_class: type[Tenant], *args: Any, **kwargs: Any) -> Tenant:
        with tenant_scope(kwargs["id"]):
            tenant: Tenant = super()._create(model_class, *args, **kwargs)
        return tenant


class CapabilitySetFactory(DjangoModelFactory[CapabilitySet]):
    """A set of the tenant's own with nothing in it."""

    class Meta:
        model = CapabilitySet

    name = factory.Sequence(lambda number: f"set {number}")


class MembershipFactory(DjangoModelFactory[Membership]):
    """A member with a set of their own."""

    class Meta:
        model = Membership

    user = factory.SubFactory(UserFactory)
    capability_set = factory.SubFactory(CapabilitySetFactory, tenant_id=factory.SelfAttribute("..tenant_id"))


class ApiTokenFactory(DjangoModelFactory[ApiToken]):
    """A token that nobody knows."""

    class Meta:
        model = ApiToken

    name = "token"
    prefix = factory.LazyFunction(lambda: uuid.uuid4().hex[:8])
    digest = factory.LazyFunction(lambda: hashlib.sha256(uuid.uuid4().bytes).hexdigest())
    created_by = factory.SubFactory(UserFactory)
    capability_set = factory.SubFactory(CapabilitySetFactory, tenant_id=factory.SelfAttribute("..tenant_id"))


class KeptAnswerFactory(DjangoModelFactory[KeptAnswer]):
    """An answer of the API, kept for whoever asks again."""

    class Meta:
        model = KeptAnswer

    sender = "token:1"
    key = factory.Sequence(lambda number: f"key-{number}")
    fingerprint = "0" * 64
    status = 201


class RateBucketFactory(DjangoModelFactory[RateBucket]):
    """A caller of the API who has asked before."""

    class Meta:
        model = RateBucket

    sender = factory.Sequence(lambda number: f"token:{number}")
    remaining = 10.0
    counted_at = Now()


class WipeOrderFactory(DjangoModelFactory[WipeOrder]):
    """An order that was cancelled."""

    class Meta:
        model = WipeOrder

    nonce = factory.LazyFunction(lambda: uuid.uuid4().hex)
    action = "delete"
    final_status = "none"
    state = "cancelled"
    ordered_by = "command:root"


class JobFactory(DjangoModelFactory[Job]):
    """A queued job of the type `probe`, due now by the database's clock."""

    class Meta:
        model = Job

    type = "probe"
    payload = factory.LazyFunction(dict)


class JobAttemptFactory(DjangoModelFactory[JobAttempt]):
    """An attempt that succeeded."""

    class Meta:
        model = JobAttempt

    job = factory.SubFactory(JobFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    lease = 1
    started_at = Now()
    outcome = "succeeded"


class TenantQueueFactory(DjangoModelFactory[TenantQueue]):
    """A tenant's queue as it is by default."""

    class Meta:
        model = TenantQueue


class ProbeEffectFactory(DjangoModelFactory[ProbeEffect]):
    """An effect that some probe wrote."""

    class Meta:
        model = ProbeEffect

    job_id = factory.Sequence(lambda number: number + 1)
    lease = 1


class TenantHourFactory(DjangoModelFactory[TenantHour]):
    """What a tenant's jobs took within this hour."""

    class Meta:
        model = TenantHour

    hour = TruncHour(Now())
    attempts, failed, seconds = 1, 0, 1.0


class RetentionClassFactory(DjangoModelFactory[RetentionClass]):
    """A class of the tenant's own."""

    class Meta:
        model = RetentionClass

    name = factory.Sequence(lambda number: f"class {number}")
    years = 3


class NamingSettingsFactory(DjangoModelFactory[NamingSettings]):
    """The wishes of a tenant."""

    class Meta:
        model = NamingSettings

    title_template = "{issued_date} {title}"


class DocumentFactory(DjangoModelFactory[Document]):
    """A document without a file."""

    class Meta:
        model = Document

    title = factory.Sequence(lambda number: f"Document {number}")
    source = "import"


class DocumentVersionFactory(DjangoModelFactory[DocumentVersion]):
    """A version whose original is not in the vault."""

    class Meta:
        model = DocumentVersion

    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    content_hash = factory.LazyFunction(lambda: hashlib.sha256(uuid.uuid4().bytes).hexdigest())
    size = 12
    media_type = "application/pdf"
    filename = "paper.pdf"


class AssetFactory(DjangoModelFactory[Asset]):
    """A thumbnail that is not in the vault."""

    class Meta:
        model = Asset

    version = factory.SubFactory(DocumentVersionFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    kind = "thumbnail"
    job_id = 1
    media_type = "image/webp"
    size = 3


class PageTextFactory(DjangoModelFactory[PageText]):
    """The text of page one."""

    class Meta:
        model = PageText

    version = factory.SubFactory(DocumentVersionFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    page = 1
    text = "text"
    source = "layer"


class PageCheckpointFactory(DjangoModelFactory[PageCheckpoint]):
    """A kept page of some job."""

    class Meta:
        model = PageCheckpoint

    job_id = factory.Sequence(lambda number: number + 1)
    page = 1
    source = "ocr"


class StepResultFactory(DjangoModelFactory[StepResult]):
    """A step that was done."""

    class Meta:
        model = StepResult

    version = factory.SubFactory(DocumentVersionFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    job_id = 1
    step = "text"
    outcome = "done"


class FileFactsFactory(DjangoModelFactory[FileFacts]):
    """The facts of an electronic invoice."""

    class Meta:
        model = FileFacts

    version = factory.SubFactory(DocumentVersionFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    syntax = "cii"
    number = "4711"
    seller = "Beispiel GmbH"


class MailAttachmentFactory(DjangoModelFactory[MailAttachment]):
    """A file that came with a mail, and the document that it is."""

    class Meta:
        model = MailAttachment

    mail = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    number = factory.Sequence(lambda number: number % 30_000 + 1)
    filename = "anlage.pdf"
    content_hash = "a" * 64


class SearchEntryFactory(DjangoModelFactory[SearchEntry]):
    """A document that is found by the word `text`."""

    class Meta:
        model = SearchEntry

    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    content = " text "
    vector = "'text':1"


class IndexedCopyFactory(DjangoModelFactory[IndexedCopy]):
    """A document that is to be found in the engine outside."""

    class Meta:
        model = IndexedCopy

    document = factory.SubFactory(DocumentFactory, tenant_id=factory.SelfAttribute("..tenant_id"))
    wanted = factory.LazyFunction(uuid.uuid4)


class TenantIndexFactory(DjangoModelFactory[TenantIndex]):
    """A tenant that is moving to the engine outside."""

    class Meta:
        model = TenantIndex

    state = IndexState.FILLING


class VaultCheckFactory(DjangoModelFactory[VaultCheck]):
    """A look at everything that found nothing wrong."""

    class Meta:
        model = VaultCheck

    share = 0
    shares = 1
    started_at = Now()
    files = 2
    size = 24
    problems = 0


class VaultFindingFactory(DjangoModelFactory[VaultFinding]):
    """A file that is missing."""

    class Meta:
        model = VaultFinding

    path = factory.Sequence(lambda number: f"file {number}")
    problem = "missing"
