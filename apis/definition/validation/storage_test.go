package validation

import "testing"

func TestStorage(t *testing.T) {
	quantity := "must be a quantity above 0"
	checkRules(t, map[string]ruleCase{
		"Gibibytes":     {reason: "What the documents show.", spec: "storage: {size: 10Gi}"},
		"Decimal":       {reason: "Quantities have decimal units too.", spec: "storage: {size: 10G}"},
		"Fraction":      {reason: "Kubernetes rounds up.", spec: "storage: {size: 1.5Gi}"},
		"Exponent":      {reason: "A form of a quantity.", spec: `storage: {size: "1e10"}`},
		"Number":        {reason: "A whole number of bytes is a quantity.", spec: "storage: {size: 10737418240}"},
		"Missing":       {reason: "A claim needs a size.", spec: "image: chromadb/chroma:1.5.9", want: "needs storage.size"},
		"MissingSize":   {reason: "A class alone is no size.", spec: "storage: {storageClass: fast}", want: "needs storage.size"},
		"NullSize":      {reason: "The API server takes null for absent.", spec: "storage: {size: null}", want: "needs storage.size"},
		"Zero":          {reason: "The API refuses such a claim.", spec: `storage: {size: "0"}`, want: quantity},
		"ZeroNumber":    {reason: "The number 0 is no better.", spec: "storage: {size: 0}", want: quantity},
		"ZeroUnits":     {reason: "Nothing of a unit is nothing.", spec: "storage: {size: 0Gi}", want: quantity},
		"Negative":      {reason: "There are no negative sizes.", spec: "storage: {size: -1Gi}", want: quantity},
		"Word":          {reason: "No quantity.", spec: "storage: {size: big}", want: quantity},
		"WrongUnit":     {reason: "Units are compared exactly.", spec: "storage: {size: 10GB}", want: quantity},
		"EmptySize":     {reason: "An empty string is no quantity.", spec: `storage: {size: ""}`, want: quantity},
		"Boolean":       {reason: "No quantity either.", spec: "storage: {size: true}", want: "must be of type"},
		"FloatingPoint": {reason: "Only whole numbers and strings are taken, as for every custom resource.", spec: "storage: {size: 1.5}", want: "must be of type"},

		"Class":          {reason: "A StorageClass.", spec: "storage: {size: 1Gi, storageClass: fast.ssd-2}"},
		"EmptyClass":     {reason: "The default class.", spec: `storage: {size: 1Gi, storageClass: ""}`},
		"WrongClass":     {reason: "No name of Kubernetes.", spec: "storage: {size: 1Gi, storageClass: Fast SSD}", want: "name of a StorageClass"},
		"SameClass":      {reason: "Nothing changes.", old: "storage: {size: 1Gi, storageClass: a}", spec: "storage: {size: 2Gi, storageClass: a}"},
		"OtherClass":     {reason: "A claim keeps its class.", old: "storage: {size: 1Gi, storageClass: a}", spec: "storage: {size: 1Gi, storageClass: b}", want: "storageClass cannot change"},
		"ClassRemoved":   {reason: "The default class may be another.", old: "storage: {size: 1Gi, storageClass: a}", spec: "storage: {size: 1Gi}", want: "storageClass cannot change"},
		"ClassAdded":     {reason: "The default class may be another.", old: "storage: {size: 1Gi}", spec: "storage: {size: 1Gi, storageClass: a}", want: "storageClass cannot change"},
		"EmptyIsAbsent":  {reason: "Both mean the default class.", old: "storage: {size: 1Gi}", spec: `storage: {size: 1Gi, storageClass: ""}`},
		"AbsentIsEmpty":  {reason: "Both mean the default class.", old: `storage: {size: 1Gi, storageClass: ""}`, spec: "storage: {size: 1Gi}"},
		"StorageRemoved": {reason: "Nor can it be removed to come back with another class.", old: "storage: {size: 1Gi, storageClass: a}", spec: "{}", want: "needs storage.size"},
		"Grown":          {reason: "A claim can grow.", old: "storage: {size: 1Gi}", spec: "storage: {size: 2Gi}"},
		"Shrunk": {
			reason: "A claim cannot shrink, which the function reports: the size may be that of a claim that is gone.",
			old:    "storage: {size: 2Gi}", spec: "storage: {size: 1Gi}",
		},
	})
}

func TestResources(t *testing.T) {
	const spec = "storage: {size: 1Gi}\nresources: "
	above := "requests must not be above limits"
	checkRules(t, map[string]ruleCase{
		"Documents":     {reason: "What the documents show.", spec: spec + "{requests: {cpu: 500m, memory: 2Gi}, limits: {memory: 4Gi}}"},
		"Equal":         {reason: "A Pod of class Guaranteed.", spec: spec + `{requests: {cpu: "1"}, limits: {cpu: "1"}}`},
		"OtherForm":     {reason: "Quantities are compared, not their text.", spec: spec + "{requests: {memory: 1024Mi}, limits: {memory: 1Gi}}"},
		"Numbers":       {reason: "Whole numbers are quantities.", spec: spec + "{requests: {cpu: 1}, limits: {cpu: 2}}"},
		"NumberAbove":   {reason: "Numbers are compared too.", spec: spec + `{requests: {cpu: 2}, limits: {cpu: "1"}}`, want: above},
		"Zero":          {reason: "Kubernetes takes 0.", spec: spec + `{requests: {cpu: "0"}}`},
		"LimitsOnly":    {reason: "Requests follow the limits then.", spec: spec + "{limits: {memory: 4Gi}}"},
		"Extended":      {reason: "Other resources exist.", spec: spec + "{requests: {example.com/gpu: 1}, limits: {example.com/gpu: 1, ephemeral-storage: 1Gi}}"},
		"Empty":         {reason: "Nothing set.", spec: spec + "{}"},
		"Above":         {reason: "The API refuses such a Pod.", spec: spec + "{requests: {memory: 2Gi}, limits: {memory: 1Gi}}", want: above},
		"AboveForm":     {reason: "Larger by value, smaller by text.", spec: spec + "{requests: {memory: 2000Mi}, limits: {memory: 1Gi}}", want: above},
		"ExtendedAbove": {reason: "It holds for every resource.", spec: spec + "{requests: {ephemeral-storage: 2Gi}, limits: {ephemeral-storage: 1Gi}}", want: above},
		"Negative":      {reason: "There are no negative resources.", spec: spec + `{requests: {cpu: "-1"}}`, want: "requests must be quantities"},
		"NegativeLimit": {reason: "There are no negative resources.", spec: spec + `{limits: {cpu: "-1"}}`, want: "limits must be quantities"},
		"Word":          {reason: "No quantity.", spec: spec + "{requests: {cpu: much}}", want: "requests must be quantities"},
	})
}
