package reason

// The reasons that an image and what has run on the data give. They say which image may run, and why not.
const (
	VersionAllowed         Reason = "VersionAllowed"
	DowngradeAllowed       Reason = "DowngradeAllowed"
	ProductChangeAllowed   Reason = "ProductChangeAllowed"
	Downgrade              Reason = "Downgrade"
	DowngradeChangesFormat Reason = "DowngradeChangesFormat"
	ProductChange          Reason = "ProductChange"
	ProductChangeNotKnown  Reason = "ProductChangeNotKnown"
	UpgradeNotKnown        Reason = "UpgradeNotKnown"
	DataVersionUnknown     Reason = "DataVersionUnknown"
	LedgerNewer            Reason = "LedgerNewer"
	ImageInvalid           Reason = "ImageInvalid"
	ImageNotAllowed        Reason = "ImageNotAllowed"
	ImageWithoutVersion    Reason = "ImageWithoutVersion"
	VersionNotSupported    Reason = "VersionNotSupported"
	UnknownProduct         Reason = "UnknownProduct"
	ProductMismatch        Reason = "ProductMismatch"
)

// UpgradeBlocked says whether the wanted image is held back, and why.
const UpgradeBlocked ConditionType = "UpgradeBlocked"

// Compatibility returns the reasons of UpgradeBlocked that come from the image and from what has run on the data.
func Compatibility() []Entry {
	on := []ConditionType{UpgradeBlocked}
	return []Entry{
		{VersionAllowed, on,
			"The wanted version may open the data.",
			"Nothing needs to be done."},
		{DowngradeAllowed, on,
			"A version older than one that has run on the data may open it, because annotations allow it.",
			"Remove the annotations once a version runs that does not need them; the message has the command."},
		{ProductChangeAllowed, on,
			"Chroma runs on data that VecturaDB has opened.",
			"Do not write with Chroma to collections that use sparse vectors or BM25; go on with VecturaDB for those."},
		{Downgrade, on,
			"The wanted version is older than one that has run on the data, and reads the same data format.",
			"Set the image back, or allow it: kubectl chroma allow downgrade NAME. The message has the annotation."},
		{DowngradeChangesFormat, on,
			"The wanted version is older than one that has run on the data, and reads another data format.",
			"Set the image back, restore a backup from before the upgrade, or allow it: kubectl chroma allow format-downgrade NAME. The message has both annotations."},
		{ProductChange, on,
			"VecturaDB has opened the data, and the wanted image is Chroma.",
			"Set the image back, or read what Chroma cannot do with such data, and allow it: kubectl chroma allow product-change NAME. The message has the annotation."},
		{ProductChangeNotKnown, on,
			"No trial has shown that the wanted version opens data of the other product.",
			"Choose one of the versions that the message names. No annotation allows this passage."},
		{UpgradeNotKnown, on,
			"No trial has shown that the wanted VecturaDB opens data of the VecturaDB that ran last.",
			"Choose one of the versions that the message names. No annotation allows this upgrade."},
		{DataVersionUnknown, on,
			"An image without a known version may have opened the data, or the claim has no readable record of what did.",
			"Find out the highest version that has run, and declare it: kubectl chroma incident show NAME, then incident declare NAME --version X. The message has the annotation."},
		{LedgerNewer, on,
			"A newer version of this function wrote the record of what has run on the data.",
			"Install that version of the function again, or a newer one."},
		{ImageInvalid, on,
			"The image is not a reference that a container runtime accepts.",
			"Write it as registry/path:version, for example docker.io/chromadb/chroma:1.5.9."},
		{ImageNotAllowed, on,
			"The repository of the image is not among those that may run here.",
			"Use an allowed repository, or have this one added: images.allowed in the Input of the Composition's step, or CHROMA_ALLOWED_IMAGES of the function."},
		{ImageWithoutVersion, on,
			"The image has no exact version tag, so what would run on the data cannot be known.",
			"Use a tag like 1.5.9, or 1.0.0-preview.3 for VecturaDB, with or without a digest behind it."},
		{VersionNotSupported, on,
			"The image is a Chroma before 1.0.0, which is another server with other files.",
			"Use Chroma 1.0.0 or later. Data of Chroma 0.x has to be migrated with Chroma's own tools."},
		{UnknownProduct, on,
			"The repository says neither Chroma nor VecturaDB, and spec.product is empty.",
			"Set spec.product to chroma or vecturadb."},
		{ProductMismatch, on,
			"spec.product contradicts the repository, which is known to hold the other product.",
			"Remove spec.product, or change the image."},
	}
}
