// Only for the definition of ValdRelease that the module carries.
module github.com/function-chroma/function-chroma/test/tools/vald

go 1.26.0

require github.com/vdaas/vald v1.7.17
